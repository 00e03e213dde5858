/// What tally asks of a benchmark program: nothing, a list of its benchmarks, or to be the host of its cases.
///
/// It asks by a variable of the environment (protocol/descriptors.h), which is gone before main() begins: the program's
/// arguments are what its user wrote, and what it starts has no sign of tally.
#pragma once

namespace tally::embedded {

enum class Asked { nothing, list, serving };

/// The same whenever it is called, until it is forgotten: in a process that runs main() for a case.
Asked asked();
void forget_question();

/// Does what was asked, and ends the process: what static objects do at the program's end has no say in it. Returns
/// where nothing was.
void serve_if_asked();

/// As serve_if_asked(), for a program that may have more benchmarks when it calls this again: where a list was asked
/// for, what became known since the last call is written, and the program continues, to show whether it does. What it
/// does then is of no use: it opens no files any more, and ends after some seconds.
void serve_call_if_asked();
/// For what opens files in such a process.
void let_files_be_opened(bool they_may);

}  // namespace tally::embedded
