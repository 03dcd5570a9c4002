/*
 * Reads the output of strace (`-f -ttt -xx`): system calls with their data, in the order in which they began and ended. Calls of
 * several threads may overlap; strace writes such a call as two lines.
 */

/** The system calls to record: they change files or send data. */
export const tracedCalls = [
  ...['open', 'openat', 'creat', 'close', 'dup', 'dup2', 'dup3', 'lseek', 'mmap', 'msync', 'io_uring_setup'],
  ...['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'truncate', 'ftruncate', 'fallocate', 'copy_file_range'],
  ...['fsync', 'fdatasync', 'sync', 'syncfs', 'sync_file_range', 'link', 'linkat', 'rename', 'renameat', 'renameat2'],
  ...['unlink', 'unlinkat', 'mkdir', 'mkdirat', 'rmdir', 'sendto', 'sendmsg', 'sendfile'],
] as const;

/** More than the longest write. */
const maxDataBytes = 64 << 20;

/** The command line that runs a command and records it in `file`. */
export const traceCommand = (file: string): string[] => [
  ...['strace', '-f', '--seccomp-bpf', '-ttt', '-xx', '-s', String(maxDataBytes)],
  ...['-o', file, '-e', `trace=${tracedCalls.join(',')}`],
];

export type Call = {
  name: string;
  /** The arguments with each string replaced by a quotation mark. */
  text: string;
  /** The strings among the arguments. */
  strings: Buffer[];
  /** -1 for an error; undefined while the call has not ended. */
  result: number | undefined;
  /** Epoch ms at which the call began. */
  startedAt: number;
};

export type Step = { kind: 'begin' | 'end'; call: Call };

const lineStart = /^(\d+) +(\d+\.\d+) +/;
const lineStartBytes = 64;
const resumed = /^<\.\.\. \S+ resumed>/;
const unfinished = / <unfinished \.\.\.>$/;
const quote = 0x22;

/** @throws if the trace has an unknown line */
export function readTrace(bytes: Uint8Array): Step[] {
  const trace = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const steps: Step[] = [];
  const running = new Map<string, Call>();
  for (let from = 0; from < trace.length; ) {
    const newline = trace.indexOf(10, from);
    const end = newline < 0 ? trace.length : newline;
    readLine(trace.subarray(from, end), steps, running);
    from = end + 1;
  }
  return steps;
}

function readLine(line: Buffer, steps: Step[], running: Map<string, Call>): void {
  const start = lineStart.exec(line.toString('latin1', 0, lineStartBytes));
  if (!start) {
    if (line.length > 0) throw new Error(`not a line of strace: ${line.toString('latin1', 0, 200)}`);
    return;
  }
  const [{ length }, thread = '', seconds = ''] = start;
  const { text, strings } = splitStrings(line.subarray(length));
  // Signals and thread exits.
  if (text.startsWith('+++') || text.startsWith('---')) return;
  if (text.includes('"...')) throw new Error('strace left out data: its -s is too small');
  if (resumed.test(text)) {
    const call = running.get(thread);
    running.delete(thread);
    if (call) steps.push({ kind: 'end', call: finish(call, text.replace(resumed, ''), strings) });
    return;
  }
  const paren = text.indexOf('(');
  if (paren < 0) throw new Error(`not a system call: ${text.slice(0, 200)}`);
  const call: Call = {
    name: text.slice(0, paren),
    text: '',
    strings: [],
    result: undefined,
    startedAt: Number(seconds) * 1000,
  };
  steps.push({ kind: 'begin', call });
  const rest = text.slice(paren + 1);
  if (unfinished.test(rest)) {
    call.text = rest.replace(unfinished, '');
    call.strings = strings;
    running.set(thread, call);
  } else steps.push({ kind: 'end', call: finish(call, rest, strings) });
}

function finish(call: Call, rest: string, strings: readonly Buffer[]): Call {
  call.strings.push(...strings);
  const result = /^(.*)\) += (-?\d+|0x[0-9a-f]+|\?)(?: .*)?$/.exec(rest);
  if (!result) throw new Error(`the result is missing: ${call.name}(${rest.slice(0, 200)}`);
  call.text += result[1];
  // The result of a killed process is unknown.
  if (result[2] !== '?') call.result = Number(result[2]);
  return call;
}

/** Cuts out the strings, which are written as `\x00\x01…`. */
function splitStrings(line: Buffer): { text: string; strings: Buffer[] } {
  const strings: Buffer[] = [];
  let text = '';
  for (let from = 0; ; ) {
    const opening = line.indexOf(quote, from);
    if (opening < 0) return { text: text + line.toString('latin1', from), strings };
    const closing = line.indexOf(quote, opening + 1);
    if (closing < 0) return { text: text + line.toString('latin1', from), strings };
    text += line.toString('latin1', from, opening + 1);
    strings.push(decodeHex(line, opening + 1, closing));
    from = closing + 1;
  }
}

/** Four characters per byte. */
function decodeHex(line: Buffer, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow((to - from) >> 2);
  for (let i = 0, at = from + 2; i < bytes.length; i++, at += 4)
    bytes[i] = (digits[line[at] as number] as number) * 16 + (digits[line[at + 1] as number] as number);
  return bytes;
}

const digits = new Uint8Array(256);
for (const [value, character] of [...'0123456789abcdef'].entries()) digits[character.charCodeAt(0)] = value;
