"""Ways to change a user's files, as text: each is run in a copy of one contained process, in a folder of its own.

A folder holds `file.txt`, `dir/inner.txt`, `empty/`, `link` (to the file), `dirlink` (to the folder) and `hard.txt`. In
the text, `V` is that folder, `F` the file, `R` a descriptor of the file opened for reading.
"""

ALIASES = {
    "the plain path": "F",
    "a relative path": "os.path.relpath(F)",
    "bytes": "os.fsencode(F)",
    "a path object": "pathlib.Path(F)",
    "a link": "V + '/link'",
    "a folder that is a link": "V + '/dirlink/../file.txt'",
    "dots and slashes": "V + '//dir/.././file.txt'",
    "/proc/self/cwd": "'/proc/self/cwd/' + os.path.relpath(F)",
    "/proc/self/root": "'/proc/self/root' + F",
    "/proc/PID/cwd": "f'/proc/{os.getpid()}/cwd/' + os.path.relpath(F)",
    "/proc/self/fd": "f'/proc/self/fd/{R}'",
    "/proc/thread-self/fd": "f'/proc/thread-self/fd/{R}'",
    "/dev/fd": "f'/dev/fd/{R}'",
}
ACTS = {
    "open to write": "open({}, 'w').write('x')",
    "open to append": "open({}, 'a').write('x')",
    "open to read and write": "open({}, 'r+').write('x')",
    "os.truncate": "os.truncate({}, 1)",
    "os.chmod": "os.chmod({}, 0o777)",
}
PYTHON = (
    "open(V + '/new', 'x').write('x')", "open(F, 'wb', buffering=0).write(b'x')", "io.open(F, 'w').write('x')",
    "io.FileIO(F, 'w').write(b'x')", "codecs.open(F, 'w').write('x')", "_io.open(F, 'w').write('x')", "_io.FileIO(F, 'a').write(b'x')",
    "open(F, 'w', opener=os.open).write('x')", "open(F, 'w', opener=lambda p, f: posix.open(p, f)).write('x')",
    "io.FileIO(F, 'w', opener=lambda p, f: posix.open(p, f)).write(b'x')", "open(F, 'w', opener=lambda p, f: libc.open(os.fsencode(p), f)).write('x')",
    "os.write(os.open(F, os.O_WRONLY), b'x')", "os.open(F, os.O_RDONLY | os.O_TRUNC)", "os.open(V + '/new', os.O_CREAT | os.O_RDONLY)",
    "os.write(os.open('file.txt', os.O_RDWR, dir_fd=os.open(V, os.O_RDONLY)), b'x')", "os.write(os.open(V, os.O_TMPFILE | os.O_WRONLY), b'x')",
    "posix.open(F, os.O_WRONLY | os.O_TRUNC)", "posix.unlink(F)", "posix.rename(F, V + '/new')", "posix.mkdir(V + '/new')", "posix.chmod(F, 0o777)",
    "os.ftruncate(os.open(F, os.O_RDWR), 1)", "os.pwrite(os.open(F, os.O_RDWR), b'x', 0)", "os.writev(os.open(F, os.O_RDWR), [b'x'])",
    "os.sendfile(os.open(F, os.O_RDWR), os.open(V + '/dir/inner.txt', 0), 0, 3)", "os.copy_file_range(os.open(V + '/dir/inner.txt', 0), os.open(F, os.O_RDWR), 3)",
    "os.remove(F)", "os.unlink('file.txt', dir_fd=os.open(V, 0))", "os.rename(F, V + '/new')", "os.replace(V + '/dir/inner.txt', F)",
    "os.renames(F, V + '/a/b/c')", "os.link(F, V + '/new')", "os.symlink(F, V + '/new')", "os.mkdir(V + '/new')", "os.makedirs(V + '/a/b/c')",
    "os.rmdir(V + '/empty')", "os.removedirs(V + '/empty')", "os.fchmod(R, 0o777)", "os.chown(F, 1, 1)", "os.lchown(V + '/link', 1, 1)", "os.fchown(R, 1, 1)",
    "os.chmod(R, 0o777)", "os.utime(F, (1, 1))", "os.utime(R, (1, 1))", "os.setxattr(F, 'user.x', b'x')", "os.setxattr(R, 'user.x', b'x')", "os.mkfifo(V + '/new')",
    "os.mknod(V + '/new')", "open(V + '/hard.txt', 'w').write('x')", "m = mmap.mmap(os.open(F, os.O_RDWR), 0); m[0:1] = b'x'; m.flush()",
    "pathlib.Path(F).write_text('x')", "pathlib.Path(F).write_bytes(b'x')", "pathlib.Path(V, 'new').touch()", "pathlib.Path(F).unlink()", "pathlib.Path(F).rename(V + '/new')",
    "pathlib.Path(V, 'new').symlink_to(F)", "pathlib.Path(V, 'new').hardlink_to(F)", "pathlib.Path(F).chmod(0o777)", "pathlib.Path(V, 'new').mkdir()", "pathlib.Path(V, 'empty').rmdir()",
    "shutil.copy(V + '/dir/inner.txt', F)", "shutil.copy2(V + '/dir/inner.txt', F)", "shutil.copyfile(V + '/dir/inner.txt', F)", "shutil.copytree(V + '/dir', V + '/new')", "shutil.copystat(V + '/dir', F)",
    "shutil.move(F, V + '/new')", "shutil.rmtree(V + '/dir')", "shutil.make_archive(V + '/new', 'zip', V + '/dir')", "shutil.chown(F, 1)",
    "exec('import fileinput\\nfor line in fileinput.input(F, inplace=True): print(1)')", "py_compile.compile(__file__, V + '/new.pyc')",
    "os.makedirs(V + '/__pycache__'); open(V + '/__pycache__/x.pyc', 'w').write('x')",
    "open(V + '/module.py', 'a'); pathlib.Path(V, 'mod.py').write_text(''); sys.path.insert(0, V); sys.dont_write_bytecode = False; __import__('mod')",
    "sys.dont_write_bytecode = False; sys.path.insert(0, V + '/dir'); __import__('present')",
    "zipfile.ZipFile(V + '/new', 'w').writestr('a', 'b')", "tarfile.open(V + '/new', 'w').close()", "gzip.open(F, 'w').write(b'x')", "bz2.open(F, 'w').write(b'x')", "lzma.open(F, 'w').write(b'x')",
    "shelve.open(V + '/new')['a'] = 1", "dbm.open(V + '/new', 'n')['a'] = b'b'", "pickle.dump(1, open(F, 'wb'))", "json.dump(1, open(F, 'w'))", "csv.writer(open(F, 'w')).writerow([1])",
    "logging.FileHandler(F, 'w').emit(logging.makeLogRecord({'msg': 'x'}))", "logging.handlers.RotatingFileHandler(F, maxBytes=1, backupCount=1).emit(logging.makeLogRecord({'msg': 'xx'}))",
    "tempfile.NamedTemporaryFile(dir=V, delete=False).write(b'x')", "tempfile.mkdtemp(dir=V)", "wave.open(F, 'wb')", "trace.CoverageResults().write_results(coverdir=V)", "cProfile.run('1', F)",
    "faulthandler.dump_traceback(open(F, 'w'))", "socket.socket(socket.AF_UNIX).bind(os.path.relpath(V + '/new'))", "socket.socket(socket.AF_UNIX).bind('/proc/self/cwd/' + os.path.relpath(V + '/new'))",
    "threading.Thread(target=lambda: open(F, 'w').write('x')).start()", "atexit.register(lambda: open(F, 'w').write('x')); atexit._run_exitfuncs()",
)  # fmt: skip
SQLITE = (
    "sqlite3.connect(V + '/new').execute('create table t (a)')", "sqlite3.connect('file:' + V + '/new', uri=True).execute('create table t (a)')",
    "sqlite3.connect(':memory:').execute(f\"attach '{V}/new' as x\").execute('create table x.t (a)')", "sqlite3.connect(':memory:').execute(f\"vacuum into '{V}/new'\")",
    "sqlite3.connect(V + '/dir/present.db').execute('drop table t')", "sqlite3.connect(':memory:').execute(f\"attach '{V}/dir/present.db' as x\").execute('drop table x.t')",
    "sqlite3.connect(':memory:').backup(sqlite3.connect(V + '/new'))", "sqlite3.dbapi2.connect(V + '/dir/present.db').execute('pragma journal_mode=wal')", "_sqlite3.connect(V + '/new').execute('create table t (a)')",
)  # fmt: skip
NATIVE = (
    "libc.open(B, 1)", "libc.open(B, 0o1001)", "libc.creat(B, 0o666)", "libc.truncate(B, 1)", "libc.unlink(B)", "libc.remove(B)", "libc.rename(B, N)", "libc.link(B, N)", "libc.symlink(B, N)",
    "libc.mkdir(N, 0o777)", "libc.rmdir(os.fsencode(V + '/empty'))", "libc.chmod(B, 0o777)", "libc.chown(B, 1, 1)", "libc.fchmod(R, 0o777)", "libc.fchown(R, 1, 1)", "libc.utime(B, None)", "libc.futimens(R, None)",
    "libc.mkfifo(N, 0o666)", "libc.mknod(N, 0o100666, 0)", "libc.setxattr(B, b'user.x', b'x', 1, 0)", "libc.fsetxattr(R, b'user.x', b'x', 1, 0)", "libc.renameat2(-100, B, -100, N, 0)",
    "libc.system(b'echo x > ' + B)", "libc.syscall(2, B, 1 | 512, 0)", "libc.syscall(257, -100, B, 1 | 512, 0)", "libc.syscall(263, -100, B, 0)", "libc.open(os.fsencode(f'/proc/self/fd/{R}'), 513)",
    "libc.truncate(os.fsencode(f'/proc/self/fd/{R}'), 1)", "libc.open(b'/proc/self/cwd/' + os.fsencode(os.path.relpath(F)), 513)", "libc.umount2(os.fsencode(P), 2); libc.open(B, 513)", "libc.mount(None, b'/', None, 32 | 4096, None); libc.open(B, 513)",
    "libc.unshare(0x20000); libc.umount2(os.fsencode(P), 2); libc.open(B, 513)", "libc.unshare(0x10020000); libc.umount2(os.fsencode(P), 2); libc.unlink(B)", "libc.chroot(b'/proc/1/root'); libc.open(B, 513)",
)  # fmt: skip
SHELL = (
    "echo x > {F}", "echo x >> {F}", ": > {F}", "tee {F} < /dev/null", "cp {V}/dir/inner.txt {F}", "mv {F} {V}/new", "rm {F}", "rm -rf {V}/dir", "ln {F} {V}/new", "ln -s {F} {V}/new", "touch {V}/new", "touch -d 2001-01-01 {F}",
    "mkdir {V}/new", "mkdir -p {V}/a/b/c", "rmdir {V}/empty", "chmod 777 {F}", "chmod -R a+w {V}", "chown 1 {F}", "truncate -s 1 {F}", "dd if=/dev/zero of={F} count=1", "sed -i s/p/x/ {F}", "tar cf {V}/new.tar {V}/dir", "gzip {F}",
    "install -m 777 {V}/dir/inner.txt {F}", "mkfifo {V}/new", "find {V} -name inner.txt -delete", "split {F} {V}/new", "sort -o {F} {V}/dir/inner.txt", "cd {V} && echo x > file.txt", "echo x > /proc/self/cwd/{rel}",
    "setsid sh -c 'echo x > {F}'", "nohup sh -c 'echo x > {F}' > /dev/null", "(sleep 0.2; echo x > {F}) & wait", "env -i sh -c 'echo x > {F}'", "perl -e 'unlink shift' {F}", "git init -q {V}/new", "nsenter -t 1 -m touch {V}/new",
    "unshare -m umount -l {P}; echo x > {F}", "{py} -c \"open('{F}', 'w')\"", "{py} -I -S -c \"open('{F}', 'w')\"", "{py} -c \"import torch; torch.save(1, '{F}')\"",
)  # fmt: skip
STARTS = {
    "subprocess.run": "subprocess.run(['touch', V + '/new'])", "subprocess with a folder": "subprocess.run(['touch', 'new'], cwd=V)", "os.popen": "os.popen('touch ' + V + '/new').read()",
    "os.posix_spawn": "os.waitpid(os.posix_spawn('/bin/touch', ['touch', V + '/new'], os.environ), 0)", "os.spawnv": "os.spawnv(os.P_WAIT, '/bin/touch', ['touch', V + '/new'])", "os.execv": "os.execv('/bin/touch', ['touch', V + '/new'])",
    "pty.spawn": "pty.spawn(['touch', V + '/new'])", "asyncio": "asyncio.run(spawned(V + '/new'))", "multiprocessing fork": "start('fork', F)", "multiprocessing spawn": "start('spawn', F)", "multiprocessing forkserver": "start('forkserver', F)",
    "a pool": "multiprocessing.get_context('fork').Pool(1).apply(touch, (F,))", "an executor": "concurrent.futures.ProcessPoolExecutor(1).submit(touch, F).result()", "a daemon": "daemon(F)",
}  # fmt: skip
LIBRARIES = (
    "np.save(V + '/new.npy', np.ones(3))", "np.savez(V + '/new.npz', a=np.ones(3))", "np.savetxt(F, np.ones(3))", "np.ones(3).tofile(F)", "np.memmap(V + '/new', mode='w+', shape=3)[:].fill(1)", "np.memmap(F, mode='r+', shape=3)[:].fill(1)",
    "np.lib.format.open_memmap(V + '/new', mode='w+', shape=(3,))", "torch.save(torch.ones(3), F)", "torch.save(torch.ones(3), F, _use_new_zipfile_serialization=False)", "torch.save(torch.ones(3), pathlib.Path(F))",
    "torch.jit.script(torch.nn.Linear(2, 2)).save(F)", "torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), F)", "torch.jit.script(torch.nn.Linear(2, 2))._c.save(F)", "torch.package.PackageExporter(V + '/new').close()",
    "torch._C.PyTorchFileWriter(V + '/new').write_end_of_file()", "torch.from_file(V + '/new', shared=True, size=3).fill_(1)", "torch.from_file(F, shared=True, size=2).fill_(1)", "torch.UntypedStorage.from_file(F, True, 8).fill_(1)",
    "torch.ones(3).numpy().tofile(V + '/new')", "torch.distributed.checkpoint.save({'a': torch.ones(3)}, checkpoint_id=V + '/new')", "profiled(V + '/new')", "torch.utils.tensorboard.SummaryWriter(V + '/new').add_scalar('a', 1)",
    "safetensors.torch.save_file({'a': torch.ones(3)}, F)", "pd.DataFrame({'a': [1]}).to_csv(F)", "pd.DataFrame({'a': [1]}).to_pickle(F)", "pd.DataFrame({'a': [1]}).to_parquet(V + '/new')", "pq.write_table(pa.table({'a': [1]}), V + '/new')",
    "pa.OSFile(F, 'w').write(b'x')", "pl.DataFrame({'a': [1]}).write_csv(F)", "pl.DataFrame({'a': [1]}).write_parquet(V + '/new')", "pl.DataFrame({'a': [1]}).lazy().sink_parquet(V + '/new')", "pa.fs.LocalFileSystem().delete_file(F)",
    "pa.fs.LocalFileSystem().create_dir(V + '/new')", "pa.csv.write_csv(pa.table({'a': [1]}), F)", "pa.feather.write_feather(pa.table({'a': [1]}), F)", "joblib.dump(1, F)", "torch.hub.download_url_to_file('file://' + F, V + '/new')",
)  # fmt: skip


def ways() -> list[tuple[str, str, str]]:
    """Kind, name and text of each."""
    found = [
        ("Python by other names", f"{act}, {alias}", text.format(path))
        for act, text in ACTS.items()
        for alias, path in ALIASES.items()
    ]
    found += [("Python", text, text) for text in PYTHON]
    found += [("SQLite", text, text) for text in SQLITE]
    found += [("native code", text, text) for text in NATIVE]
    found += [("started programs", text, f"shell({text!r})") for text in SHELL]
    found += [("ways to start", name, text) for name, text in STARTS.items()]
    return found + [("libraries", text, text) for text in LIBRARIES]
