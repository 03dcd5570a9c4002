#!/usr/bin/env node
// Starts the executable that npm installed for this system, and exits with its exit code or signal.

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

function packageName() {
  const isMusl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  return `@hooktape/${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

function executable() {
  const name = packageName();
  try {
    return require.resolve(`${name}/bin/hooktape${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    console.error(
      `hooktape: the package ${name} is not installed. It holds the program for this system. Install hooktape again without ` +
        '--omit=optional; if that does not help, there is no build for this system.',
    );
    process.exit(1);
  }
}

const child = spawn(executable(), process.argv.slice(2), { stdio: 'inherit' });
// The terminal sends Ctrl-C to the program as well; other senders signal only this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']) {
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
}
child.on('error', error => {
  console.error(`hooktape: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
