import { describe, expect, test } from 'bun:test';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { createMemoryBudget } from '../core/concurrency/memory-budget.ts';
import { readBody } from './read-body.ts';

const upload = (headers: Record<string, string> = {}) =>
  Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage & PassThrough;
const wanted = (): void => {};
/** How much of a budget is there. */
const free = (budget: { take: (bytes: number) => boolean; give: (bytes: number) => void }): number => {
  let bytes = 0;
  while (budget.take(1)) bytes++;
  budget.give(bytes);
  return bytes;
};

describe('readBody', () => {
  test('a complete body, in chunks of any size, holds its memory until it is released', async () => {
    const budget = createMemoryBudget({ totalBytes: 20 });
    const req = upload();
    const reading = readBody(req, { maxBytes: 10, budget, beforeReading: wanted });
    for (const part of ['ab', 'cde', 'f']) req.write(part);
    req.end();
    const read = await reading;
    if (read.kind !== 'complete') throw new Error(read.kind);
    expect(Buffer.from(read.body).toString()).toBe('abcdef');
    expect(free(budget)).toBe(14);
    read.release();
    expect(free(budget)).toBe(20);
  });

  test('a body that arrives byte by byte is held in one buffer, which counts as a whole until the body is complete', async () => {
    let taken = 0;
    const budget = {
      take: (bytes: number) => {
        taken += bytes;
        return true;
      },
      give: (bytes: number) => {
        taken -= bytes;
      },
    };
    const req = upload();
    const reading = readBody(req, { maxBytes: 1 << 20, budget, beforeReading: wanted });
    const sent = Buffer.from(Array.from({ length: 50_000 }, (_, i) => i % 251));
    const held: number[] = [];
    for (let i = 0; i < sent.length; i++) {
      req.push(sent.subarray(i, i + 1));
      if (i % 1000 === 0) await Bun.sleep(0);
      if (held.at(-1) !== taken && taken > 0) held.push(taken);
    }
    req.push(null);
    const read = await reading;
    if (read.kind !== 'complete') throw new Error(read.kind);
    expect(sent.equals(read.body)).toBe(true);
    expect(held).toEqual([16_384, 32_768, 65_536]);
    expect([taken, read.body.buffer.byteLength]).toEqual([50_000, 50_000]);
    read.release();
    expect(taken).toBe(0);
  });

  test.each([
    ['exactly the limit', 10, 'complete'],
    ['one more', 11, 'too_large'],
  ])('%s', async (_name, size, kind) => {
    const budget = createMemoryBudget({ totalBytes: 100 });
    const req = upload();
    const reading = readBody(req, { maxBytes: 10, budget, beforeReading: wanted });
    req.end('x'.repeat(size));
    expect((await reading).kind).toBe(kind as 'complete');
    if (kind === 'too_large') expect(free(budget)).toBe(100);
  });

  test('a declared length over the limit is refused before any byte is requested', async () => {
    let wanted = 0;
    const read = await readBody(upload({ 'content-length': '11' }), {
      maxBytes: 10,
      budget: createMemoryBudget({ totalBytes: 100 }),
      beforeReading: () => wanted++,
    });
    expect([read.kind, wanted]).toEqual(['too_large', 0]);
    void readBody(upload({ 'content-length': '10' }), {
      maxBytes: 10,
      budget: createMemoryBudget({ totalBytes: 100 }),
      beforeReading: () => wanted++,
    });
    expect(wanted).toBe(1);
  });

  test('many uploads together cannot exceed the budget; memory that one releases is available to the next', async () => {
    const budget = createMemoryBudget({ totalBytes: 10 });
    const [first, second] = [upload(), upload()];
    const one = readBody(first, { maxBytes: 10, budget, beforeReading: wanted });
    const two = readBody(second, { maxBytes: 10, budget, beforeReading: wanted });
    first.write('12345678');
    await Bun.sleep(0);
    second.write('abc');
    expect((await two).kind).toBe('over_budget');
    first.destroy();
    expect((await one).kind).toBe('aborted');
    expect(free(budget)).toBe(10);
  });

  test('bytes that arrive after a refusal are not counted', async () => {
    const budget = createMemoryBudget({ totalBytes: 100 });
    const other = readBody(upload().end('held') as unknown as IncomingMessage, {
      maxBytes: 10,
      budget,
      beforeReading: wanted,
    });
    expect((await other).kind).toBe('complete');
    const req = upload();
    const reading = readBody(req, { maxBytes: 10, budget, beforeReading: wanted });
    req.write('12345678');
    await Bun.sleep(0);
    req.write('more than ten');
    expect((await reading).kind).toBe('too_large');
    for (const part of ['and more than ten again', 'x']) req.write(part);
    await Bun.sleep(0);
    req.destroy(new Error('reset'));
    await Bun.sleep(0);
    expect(free(budget)).toBe(96);
  });

  test.each([
    ['destroyed', (req: PassThrough) => req.destroy()],
    ['broken', (req: PassThrough) => req.destroy(new Error('reset'))],
  ])('a %s upload is aborted and releases its memory', async (_name, end) => {
    const budget = createMemoryBudget({ totalBytes: 10 });
    const req = upload();
    const reading = readBody(req, { maxBytes: 10, budget, beforeReading: wanted });
    req.write('1234');
    await Bun.sleep(0);
    end(req);
    expect((await reading).kind).toBe('aborted');
    expect(free(budget)).toBe(10);
  });
});
