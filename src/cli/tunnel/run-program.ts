/*
 * Runs a tunnel program so that it never outlives the server. Its shell holds one end of a pipe to the server: when the pipe closes,
 * because the server stops or was killed, the shell ends the program with everything that it started.
 */
import { existsSync } from 'node:fs';

export type RunningProgram = {
  /** Why it ended, to follow its name: `ended with exit code 1`. */
  ended: Promise<string>;
  /** Ends it: SIGTERM, and SIGKILL after 5 seconds. Resolves when it has ended. */
  stop: () => Promise<void>;
};

export type RunProgram = (options: {
  command: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Called for every line of both outputs. */
  onLine: (line: string) => void;
}) => RunningProgram;

const shell = '/bin/sh';
const killAfterMs = 5000;
const maxLine = 16_384;

/** The shell leads a process group of its own, so that signals to group 0 reach only it and the program. */
const leash = `exec 3<&0
"$@" </dev/null 3<&- &
program=$!
exec >/dev/null 2>&1
{ read -r _ <&3; trap '' TERM; kill -TERM 0; sleep ${killAfterMs / 1000}; kill -KILL 0; } &
watch=$!
trap : TERM
wait "$program"; status=$?
while kill -0 "$program"; do wait "$program"; status=$?; done
trap '' TERM
kill -KILL "$watch"
kill -TERM 0
exit "$status"`;

export const runProgram: RunProgram = ({ command, env, onLine }) => {
  const hasShell = existsSync(shell);
  const child = Bun.spawn(hasShell ? [shell, '-c', leash, 'hooktape-tunnel', ...command] : [...command], {
    env: { ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: hasShell,
  });
  void readLines(child.stdout, onLine);
  void readLines(child.stderr, onLine);
  const ended = child.exited.then(code =>
    code > 128 ? `was ended by signal ${code - 128}` : `ended with exit code ${code}`,
  );
  return {
    ended,
    async stop(): Promise<void> {
      // It may have ended already.
      await Promise.resolve(child.stdin.end()).catch(() => {});
      if (!hasShell) child.kill('SIGTERM');
      // The shell is faster, unless it was killed itself.
      const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs * 2);
      await child.exited;
      clearTimeout(timer);
    },
  };
};

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
      // A line without an end must not fill the memory.
      rest = (lines.pop() ?? '').slice(0, maxLine);
      for (const line of lines) onLine(line.slice(0, maxLine));
    }
  } catch {
    // The program has ended.
  }
  if (rest !== '') onLine(rest);
}
