import { describe, expect, test } from 'bun:test';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { createBodyBudget, readBody } from './body.ts';

const upload = (headers: Record<string, string> = {}) =>
  Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage & PassThrough;
const nothing = (): void => {};
/** How much of a budget is there. */
const free = (budget: { take: (bytes: number) => boolean; give: (bytes: number) => void }): number => {
  let bytes = 0;
  while (budget.take(1)) bytes++;
  budget.give(bytes);
  return bytes;
};

describe('readBody', () => {
  test('a whole body, however it is cut, holds its share until it is released', async () => {
    const budget = createBodyBudget(20);
    const req = upload();
    const reading = readBody(req, 10, budget, nothing);
    for (const part of ['ab', 'cde', 'f']) req.write(part);
    req.end();
    const read = await reading;
    if (read.kind !== 'whole') throw new Error(read.kind);
    expect(Buffer.from(read.body).toString()).toBe('abcdef');
    expect(free(budget)).toBe(14);
    read.release();
    expect(free(budget)).toBe(20);
  });

  test.each([
    ['exactly the limit', 10, 'whole'],
    ['one more', 11, 'too_large'],
  ])('%s', async (_name, size, kind) => {
    const budget = createBodyBudget(100);
    const req = upload();
    const reading = readBody(req, 10, budget, nothing);
    req.end('x'.repeat(size));
    expect((await reading).kind).toBe(kind as 'whole');
    if (kind === 'too_large') expect(free(budget)).toBe(100);
  });

  test('a declared length over the limit is known before a byte came, and none is asked for', async () => {
    let wanted = 0;
    const read = await readBody(upload({ 'content-length': '11' }), 10, createBodyBudget(100), () => wanted++);
    expect([read.kind, wanted]).toEqual(['too_large', 0]);
    void readBody(upload({ 'content-length': '10' }), 10, createBodyBudget(100), () => wanted++);
    expect(wanted).toBe(1);
  });

  test('many uploads together cannot take more than the budget; what one gives up the next one gets', async () => {
    const budget = createBodyBudget(10);
    const [first, second] = [upload(), upload()];
    const one = readBody(first, 10, budget, nothing);
    const two = readBody(second, 10, budget, nothing);
    first.write('12345678');
    await Bun.sleep(0);
    second.write('abc');
    expect((await two).kind).toBe('no_room');
    first.destroy();
    expect((await one).kind).toBe('aborted');
    expect(free(budget)).toBe(10);
  });

  test('what still comes of a refused upload, and its end, count for nothing', async () => {
    const budget = createBodyBudget(100);
    const other = readBody(upload().end('held') as unknown as IncomingMessage, 10, budget, nothing);
    expect((await other).kind).toBe('whole');
    const req = upload();
    const reading = readBody(req, 10, budget, nothing);
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
  ])('a %s upload is aborted and gives everything back', async (_name, end) => {
    const budget = createBodyBudget(10);
    const req = upload();
    const reading = readBody(req, 10, budget, nothing);
    req.write('1234');
    await Bun.sleep(0);
    end(req);
    expect((await reading).kind).toBe('aborted');
    expect(free(budget)).toBe(10);
  });
});
