/// Valgrind's interface for tools, as far as the counter uses it: C headers that know nothing of C++.
///
/// The platform that they ask for (VGA_amd64 and its like) is the build's to say.
#pragma once

// Types and templates of the kernel's interface, which may not have C linkage.
#include <pub_tool_basics.h>
#include <pub_tool_vki.h>

extern "C" {
#include <callgrind.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_deduppoolalloc.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_seqmatch.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_transtab.h>
#include <pub_tool_xarray.h>
}
