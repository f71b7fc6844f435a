"""
gdb.py - gdb at a machine of RISC-V cores: nearside vm ... --gdb, then
gdb-multiarch -x FOLDER/lib/nearside/riscv-gdb.py

Makes the command `nearside [PORT]`: it goes to the machine, which waits at its start, with the
names of the firmware, and adds those of kernels as images are loaded. Breakpoints at kernels may be
set before that: set breakpoint pending on.
"""

import atexit
import os
import tempfile

import gdb

FIRMWARE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "riscv.elf")


class CodeLoaded(gdb.Breakpoint):
    """Where the firmware says that an image's code lies at a0; its file, of a2 bytes, is at a1."""

    def __init__(self):
        super().__init__("nearside_code_loaded", internal=True)
        self.silent = True

    def stop(self):
        base, file, nbytes = (
            int(gdb.parse_and_eval("(unsigned long)$a%d" % i)) for i in range(3)
        )
        image = gdb.selected_inferior().read_memory(file, nbytes)
        with tempfile.NamedTemporaryFile(prefix="nearside-", suffix=".so", delete=False) as copy:
            copy.write(bytes(image))
        atexit.register(os.unlink, copy.name)  # gdb reads on
        gdb.execute("add-symbol-file %s -o %#x" % (copy.name, base), to_string=True)
        return False


class Nearside(gdb.Command):
    """nearside [PORT]: goes to the machine of cores that waits at this TCP port (1234)."""

    def __init__(self):
        super().__init__("nearside", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("set confirm off")
        gdb.execute("set pagination off")
        gdb.execute("set breakpoint pending on")
        gdb.execute("set architecture riscv:rv64")
        gdb.execute("target remote 127.0.0.1:%s" % (argument.strip() or "1234"))
        start = int(gdb.parse_and_eval("(unsigned long)$pc"))
        gdb.execute("add-symbol-file %s -o %#x" % (FIRMWARE, start), to_string=True)
        CodeLoaded()


Nearside()
