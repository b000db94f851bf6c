"""An LTTng of one's own: a session daemon in a directory of its own, which nobody else talks to."""
import ctypes
import os
import re
import shutil
import subprocess
import time

OWN_MOUNTS = 0x20000  # CLONE_NEWNS


class Lttng:
    """A daemon with one session; to be used by `with`."""

    def __init__(self, directory):
        self.directory = directory
        self.trace = os.path.join(directory, "trace")
        self.environment = dict(os.environ, LTTNG_HOME=directory, LTTNG_UST_REGISTER_TIMEOUT="10000")
        if os.geteuid() == 0:
            own_run_directory()

    def __enter__(self):
        with open(os.path.join(self.directory, "daemon.log"), "w", encoding="utf-8") as log:
            self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=self.environment,
                                           preexec_fn=anywhere, stdout=log, stderr=log)
        for _ in range(500):
            if self.daemon.poll() is not None:
                raise SystemExit(f"lttng-sessiond ended with {self.daemon.returncode}")
            if subprocess.run(["lttng", "--no-sessiond", "list"], env=self.environment, check=False,
                              capture_output=True).returncode == 0:
                return self
            time.sleep(0.01)
        raise SystemExit("lttng-sessiond does not answer")

    def __exit__(self, *_):
        self.daemon.terminate()
        self.daemon.wait()

    def run(self, *words):
        """A command to the daemon."""
        return subprocess.run(["lttng", "--no-sessiond", *words], env=self.environment, check=False,
                              capture_output=True, text=True)

    def say(self, *words):
        """A command to the daemon; returns what it printed."""
        done = self.run(*words)
        if done.returncode:
            raise SystemExit(f"lttng {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def create(self, *session, channel):
        """A session with a channel of such a size and mode, that records nothing yet."""
        self.say("create", "bench", "--output", self.trace, *session)
        self.say("enable-channel", "--userspace", "all", *channel)

    def begin(self, *session, channel):
        """A session that records the events of bench/, in a channel of such a size and mode."""
        self.create(*session, channel=channel)
        self.say("enable-event", "--userspace", "cost:*", "--channel", "all")
        self.say("start")

    def refusal(self, event, expression):
        """Enables an event with a filter. Returns what LTTng says against the filter, if anything."""
        done = self.run("enable-event", "--userspace", event, "--channel", "all", f"--filter={expression}")
        return (done.stdout + done.stderr).strip() or "no reason" if done.returncode else None

    def end(self):
        """Ends the session and removes its trace."""
        self.say("destroy", "bench")
        shutil.rmtree(self.trace)

    def discarded(self):
        """Events that found no room, by LTTng's own count; when the session has been stopped."""
        found = re.search(r"<discarded_events>(\d+)<", self.say("--mi", "xml", "list", "bench"))
        if not found:
            raise SystemExit("lttng list names no number of discarded events")
        return int(found[1])

    def events(self):
        """Events in the trace, counted by babeltrace2."""
        said = subprocess.run(["babeltrace2", self.trace, "--component", "sink.utils.counter"],
                              check=True, capture_output=True, text=True).stdout
        # It counts aloud; the last number is the sum.
        return int(re.findall(r"(\d+) Event message", said)[-1])


def anywhere():
    """Not only on the processor that the traced program is to have for itself."""
    os.sched_setaffinity(0, range(os.cpu_count()))


def own_run_directory():
    """The daemon of root always uses /run/lttng: here that becomes another directory for this process."""
    os.makedirs("/run/lttng", exist_ok=True)
    if ctypes.CDLL(None, use_errno=True).unshare(OWN_MOUNTS) != 0:
        raise SystemExit(f"no mounts of one's own: {os.strerror(ctypes.get_errno())}")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "lttng", "/run/lttng"], check=True)
