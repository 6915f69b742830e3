"""Puts a mutant in the place of a module, or notes which lines run, in processes of the tests.

Python imports this module by itself where its folder is on the path: so the processes that tests
start have the same mutant. It must not import anything of the project.

``MUTANT`` holds a module's name and a file with its compiled code. ``MUTANT_TRACE`` names a folder
to note lines in, ``MUTANT_FILES`` the files of which lines are noted, and ``MUTANT_TEST`` the test.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import marshal
import os
import sys
import threading


class Loader(importlib.abc.Loader):
    """Runs compiled code as a module."""

    def __init__(self, path):
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        with open(self.path, "rb") as file:
            exec(marshal.load(file), vars(module))


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module, and leaves all others to those who come after."""

    def __init__(self, name, path):
        self.name, self.path = name, path

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        spec = importlib.util.spec_from_loader(fullname, Loader(self.path), origin=found.origin)
        spec.has_location = True
        return spec


def install(text):
    """Import a mutant from now on: a module's name, a colon, and the file of its code."""
    name, _, path = text.partition(":")
    sys.meta_path.insert(0, Finder(name, path))


class Tracer:
    """Notes the lines of some files that run, each once for a test, as soon as it runs."""

    def __init__(self, folder, files):
        self.files = set(files)
        self.seen = set()
        self.out = open(os.path.join(folder, f"{os.getpid()}.txt"), "a", encoding="utf-8")  # noqa: SIM115
        self.test = os.environ.get("MUTANT_TEST", "")

    def begin(self, test):
        self.test = os.environ["MUTANT_TEST"] = test
        self.seen.clear()

    def trace(self, frame, event, argument):
        if frame.f_code.co_filename not in self.files or frame.f_code.co_name == "<module>":
            return None
        self.line(frame, event, argument)
        return self.line

    def line(self, frame, event, argument):
        place = (frame.f_code.co_filename, frame.f_lineno)
        if place not in self.seen:
            self.seen.add(place)
            # At once: such a process may be killed at any moment.
            self.out.write(f"{place[1]}\t{place[0]}\t{self.test}\n")
            self.out.flush()
        return self.line

    def start(self):
        threading.settrace(self.trace)
        sys.settrace(self.trace)


if "MUTANT" in os.environ:
    install(os.environ["MUTANT"])
if "MUTANT_TRACE" in os.environ:
    Tracer(os.environ["MUTANT_TRACE"], os.environ["MUTANT_FILES"].split(os.pathsep)).start()
