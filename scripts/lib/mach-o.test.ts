import { describe, expect, test } from 'bun:test';
import { isSigned, signAdHoc } from './mach-o.ts';

const codeBytes = 10_000;

/** A minimal executable: header, __TEXT, __LINKEDIT, and an old signature after `codeBytes` bytes. */
function executable(oldSignature = Buffer.alloc(64, 7)): Buffer {
  const segment = (name: string, offset: number, size: number) => {
    const command = Buffer.alloc(72);
    command.writeUInt32LE(0x19, 0);
    command.writeUInt32LE(command.length, 4);
    command.write(name, 8, 'latin1');
    command.writeBigUInt64LE(BigInt(size), 32);
    command.writeBigUInt64LE(BigInt(offset), 40);
    command.writeBigUInt64LE(BigInt(size), 48);
    return command;
  };
  const signature = Buffer.alloc(16);
  [0x1d, 16, codeBytes, oldSignature.length].forEach((word, index) => {
    signature.writeUInt32LE(word, 4 * index);
  });
  const commands = [segment('__TEXT', 0, 8192), segment('__LINKEDIT', 8192, codeBytes - 8192 + 64), signature];
  const header = Buffer.alloc(32);
  header.writeUInt32LE(0xfeedfacf, 0);
  header.writeUInt32LE(commands.length, 16);
  const code = Buffer.alloc(codeBytes, 'what it does ');
  Buffer.concat([header, ...commands]).copy(code);
  return Buffer.concat([code, oldSignature]);
}

describe('signAdHoc', () => {
  test('replaces an invalid signature with a valid one', () => {
    const before = executable();
    expect(isSigned(before)).toBe(false);
    const after = signAdHoc(before, 'hooktape');
    expect(isSigned(after)).toBe(true);
    expect(after.includes('hooktape\0')).toBe(true);
    expect(after.length % 16).toBe(0);
    // Only the two load commands with the new end of the file differ.
    expect(after.subarray(300, codeBytes)).toEqual(before.subarray(300, codeBytes));
  });

  test('the last segment ends where the file ends', () => {
    const after = signAdHoc(executable(), 'hooktape');
    const linkedit = 32 + 72;
    expect(Number(after.readBigUInt64LE(linkedit + 40) + after.readBigUInt64LE(linkedit + 48))).toBe(after.length);
    expect(after.readBigUInt64LE(linkedit + 32)).toBeGreaterThanOrEqual(after.readBigUInt64LE(linkedit + 48));
  });

  test('one changed byte anywhere in the code invalidates the signature', () => {
    for (const at of [300, 4096, codeBytes - 1]) {
      const signed = signAdHoc(executable(), 'hooktape');
      signed.writeUInt8((signed.readUInt8(at) + 1) & 0xff, at);
      expect(isSigned(signed)).toBe(false);
    }
  });

  test('signing twice changes nothing', () => {
    const once = signAdHoc(executable(), 'hooktape');
    expect(signAdHoc(once, 'hooktape')).toEqual(once);
  });

  test('refuses a file that is not a macOS executable', () => {
    expect(() => isSigned(Buffer.from('#!/bin/sh\n'.repeat(10)))).toThrow('not a macOS executable');
    expect(() => signAdHoc(Buffer.concat([executable(), Buffer.from('more')]), 'x')).toThrow(
      'not at the end of the file',
    );
  });
});
