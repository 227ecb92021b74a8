//! A real Slurm of one node on this machine, started for a test and gone with it.
//!
//! Everything of it lies in a temporary folder, with ports and a socket of its own, so it does not
//! meet another Slurm. It needs root, as slurmd starts jobs for users.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::salsa::{folder, is_root, succeeds};

/// A cluster of one node.
pub struct Cluster {
    at: tempfile::TempDir,
    daemons: Vec<Child>,
}

/// A cluster; `None` where there can be none, and `SALSA_TEST_SLURM=1` does not say there must.
pub fn cluster() -> Option<Cluster> {
    let programs = ["slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there =
        |name: &&str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let missing: Vec<&str> = programs.into_iter().filter(|name| !is_there(name)).collect();
    let is_possible = missing.is_empty() && is_root();
    if !is_possible && std::env::var_os("SALSA_TEST_SLURM").is_none() {
        eprintln!("not tested: Slurm (slurm-wlm and munge) and root are needed");
        return None;
    }
    assert!(is_possible, "SALSA_TEST_SLURM is set, but root or these are missing: {missing:?}");
    Some(Cluster::start())
}

impl Cluster {
    fn start() -> Self {
        let mut cluster = Self { at: folder(), daemons: Vec::new() };
        let at = cluster.at.path().to_owned();
        // Others must be able to reach the socket, and munged to write beside it.
        set_mode(&at, 0o755);
        let munge = at.join("munge");
        std::fs::create_dir(&munge).unwrap();
        let key = munge.join("key");
        std::fs::write(&key, [7; 128]).unwrap();
        assert!(succeeds("chown", &["-R".as_ref(), "munge".as_ref(), munge.as_os_str()]));
        set_mode(&key, 0o400);
        let place = |name: &str| munge.join(name).display().to_string();
        cluster.daemon(Command::new("runuser").args(["-u", "munge", "--", "munged"]).args([
            "--foreground",
            "--force",
            &format!("--key-file={}", key.display()),
            &format!("--socket={}", place("socket")),
            &format!("--pid-file={}", place("pid")),
            &format!("--log-file={}", place("log")),
            &format!("--seed-file={}", place("seed")),
        ]));
        until("munged listens", || munge.join("socket").exists());
        for name in ["state", "spool"] {
            std::fs::create_dir(at.join(name)).unwrap();
        }
        let conf = at.join("slurm.conf");
        std::fs::write(&conf, configuration(&at)).unwrap();
        let file = conf.display().to_string();
        cluster.daemon(Command::new("slurmctld").args(["-D", "-f", &file]));
        cluster.daemon(Command::new("slurmd").args(["-D", "-f", &file, "-N", "node"]));
        until("the node is idle", || cluster.asked("sinfo", "-h -o %t").trim() == "idle");
        cluster
    }

    fn daemon(&mut self, command: &mut Command) {
        let log = std::fs::File::create(self.at.path().join(format!("{}.out", self.daemons.len())));
        let log = log.unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.daemons.push(command.spawn().unwrap());
    }

    /// What tells programs of Slurm which cluster is meant.
    pub fn configuration(&self) -> PathBuf {
        self.at.path().join("slurm.conf")
    }

    /// What a program of Slurm prints; nothing if it fails.
    pub fn asked(&self, program: &str, words: &str) -> String {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.configuration()).args(words.split(' '));
        let output = command.output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for name in ["slurmctld.log", "slurmd.log"] {
                let text = std::fs::read_to_string(self.at.path().join(name)).unwrap_or_default();
                let last: Vec<&str> = text.lines().rev().take(30).collect();
                eprintln!("{name}, latest first:\n{}", last.join("\n"));
            }
        }
        self.asked("scancel", "--user=root");
        for daemon in self.daemons.iter_mut().rev() {
            succeeds("kill", &["-TERM".as_ref(), daemon.id().to_string().as_ref()]);
            let start = Instant::now();
            while daemon.try_wait().is_ok_and(|ended| ended.is_none()) {
                if start.elapsed() > Duration::from_secs(10) {
                    let _ = daemon.kill();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// Four processors, whatever the machine has.
fn configuration(at: &Path) -> String {
    let port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let at = at.display();
    format!(
        "ClusterName=salsa
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={}
SlurmdPort={}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={at}/munge/socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
JobRequeue=1
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
NodeName=node NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=main Nodes=node Default=YES MaxTime=INFINITE State=UP
",
        port(),
        port()
    )
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Waits until something is so; a test that waits in vain fails.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(240), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
