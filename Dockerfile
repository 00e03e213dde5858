# The command tally with a compiler, built from this checkout by the files of debian/:
#
#   docker build -t tallymark .
#   docker run --rm --security-opt seccomp=unconfined -v "$PWD:/work" tallymark \
#     time -l cpp 'v.push_back(1);' --setup 'std::vector<int> v;'
#
# Docker's own seccomp profile keeps programs from switching address randomisation off, and then counts may vary.
# Versions of packages are not pinned: Debian's mirrors keep the last ones alone.
FROM debian:12 AS build
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends build-essential git
WORKDIR /src/tallymark
COPY . .
RUN apt-get build-dep -y --no-install-recommends ./ && dpkg-buildpackage -b -us -uc

FROM debian:12-slim
COPY --from=build /src/*.deb /packages/
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends /packages/*.deb clang-19 git valgrind \
  && rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["tally"]
