#include "build/installation.h"

#include "base/digest.h"
#include "json/text.h"

namespace tally {

json::Value to_json(const Installation& installation) {
  const ResolvedInterpreter& python = installation.interpreter;
  return json::Object{{"question", installation.question}, {"path", python.path},
                      {"version", python.version},         {"start_text", python.start_text},
                      {"started", python.started},         {"folders", python.folders},
                      {"modules", python.modules},         {"discovery", installation.discovery},
                      {"glibc", installation.glibc}};
}

Result<Installation> installation_from(const json::Value& value) {
  for (const char* key : {"question", "path", "version", "start_text", "glibc"}) {
    if (value[key].text() == nullptr)
      return fail(ErrorKind::input, std::string("an image does not say its interpreter's ") + key);
  }
  Installation installation{.question = value["question"].text_or(""),
                            .interpreter = {.path = value["path"].text_or(""),
                                            .version = value["version"].text_or(""),
                                            .identity = digest(json::to_text(value)),
                                            .start_text = value["start_text"].text_or(""),
                                            .started = json::texts_of(value["started"]),
                                            .folders = json::texts_of(value["folders"]),
                                            .modules = json::texts_of(value["modules"])},
                            .discovery = value["discovery"],
                            .glibc = value["glibc"].text_or("")};
  installation.interpreter.start = installation.interpreter.identity;
  return installation;
}

}  // namespace tally
