import { describe, expect, test } from 'bun:test';
import { readTrace } from './trace.ts';

const hex = (text: string): string =>
  [...Buffer.from(text)].map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const read = (...lines: string[]) => readTrace(Buffer.from(lines.map(line => `${line}\n`).join('')));

describe('readTrace', () => {
  test('a call on one line gives a begin and an end', () => {
    const steps = read(`17 1763808000.500000 pwrite64(5, "${hex('data')}", 4, 4096) = 4`);
    expect(steps.map(({ kind }) => kind)).toEqual(['begin', 'end']);
    expect(steps[0]?.call).toEqual({
      name: 'pwrite64',
      text: '5, ", 4, 4096',
      strings: [Buffer.from('data')],
      result: 4,
      startedAt: 1_763_808_000_500,
    });
  });

  test('calls of two threads overlap', () => {
    const steps = read(
      `17 1.0 pwrite64(5, "${hex('one')}", 3, 0 <unfinished ...>`,
      '18 1.1 fsync(5 <unfinished ...>',
      '17 1.2 <... pwrite64 resumed>) = 3',
      '18 1.3 <... fsync resumed>) = 0',
    );
    expect(steps.map(({ kind, call }) => `${kind} ${call.name}`)).toEqual([
      'begin pwrite64',
      'begin fsync',
      'end pwrite64',
      'end fsync',
    ]);
    expect(steps[0]?.call.text).toBe('5, ", 3, 0');
  });

  test('a failed call has the result -1, an interrupted call has none', () => {
    const steps = read(
      `17 1.0 openat(AT_FDCWD, "${hex('/none')}", O_RDONLY) = -1 ENOENT (No such file or directory)`,
      `17 1.1 fsync(5) = ?`,
      '18 1.1 <... ??? resumed>) = ?',
      '17 1.2 +++ killed by SIGKILL +++',
    );
    expect(steps.filter(({ kind }) => kind === 'end').map(({ call }) => call.result)).toEqual([-1, undefined]);
  });

  test('a write interrupted by a kill begins and does not end', () => {
    const steps = read(`17 1.0 write(5, "${hex('half')}", 4 <unfinished ...>`, '17 1.1 +++ killed by SIGKILL +++');
    expect(steps.map(({ kind }) => kind)).toEqual(['begin']);
    expect(steps[0]?.call.strings).toEqual([Buffer.from('half')]);
  });

  test('all buffers of a vectored write are read', () => {
    const [begin] = read(
      `17 1.0 pwritev(5, [{iov_base="${hex('ab')}", iov_len=2}, {iov_base="${hex('c')}", iov_len=1}], 2, 512) = 3`,
    );
    expect(Buffer.concat(begin?.call.strings ?? []).toString()).toBe('abc');
    expect(begin?.call.text.endsWith(', 2, 512')).toBe(true);
  });

  test('truncated data and lines that are not from strace are rejected', () => {
    expect(() => read(`17 1.0 write(5, "${hex('ab')}"..., 4) = 4`)).toThrow('left out data');
    expect(() => read('strace: something went wrong')).toThrow('not a line of strace');
  });
});
