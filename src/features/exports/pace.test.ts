import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { packContent } from '../../core/stored-content.ts';
import { writeFile } from './file.ts';
import type { FileFormat } from './format.ts';
import { createPace, type Turn } from './pace.ts';
import type { ExportRow } from './store.ts';

/** Exports on a clock that only their own work and rests move; a rest ends when the clock reaches its end. */
function onHeldClock() {
  let now = 0;
  let high = true;
  const rests: number[] = [];
  const turns = createPace({
    monotonic: () => now,
    isCaptureHigh: () => high,
    rest: async ms => {
      rests.push(ms);
    },
  });
  return {
    turns,
    rests,
    work: (turn: Turn, ms: number): Promise<void> | undefined => {
      now += ms;
      return turn();
    },
    pass: (ms: number): void => {
      now += ms;
    },
    calm: (): void => {
      high = false;
    },
  };
}

describe('the pace of an export', () => {
  test('works on within a bite, and then rests for six times as long', async () => {
    const { turns, work, rests } = onHeldClock();
    const turn = turns();
    expect(work(turn, 1)).toBeUndefined();
    await work(turn, 1);
    expect(rests).toEqual([12]);
  });

  test('while little is captured it only lets others have their turn', async () => {
    const { turns, work, rests, calm } = onHeldClock();
    const turn = turns();
    await work(turn, 2);
    calm();
    await work(turn, 2);
    expect(rests).toEqual([12, 0]);
  });

  test('the next bite begins when the rest is over', async () => {
    const { turns, work, pass } = onHeldClock();
    const turn = turns();
    const resting = work(turn, 2);
    pass(12);
    await resting;
    expect(work(turn, 1)).toBeUndefined();
  });

  test('waiting for a page or a slow client is not work', async () => {
    const { turns, work, rests } = onHeldClock();
    await work(turns(), 60_000);
    expect(rests).toEqual([18]);
  });

  test('several share what one may have', async () => {
    const { turns, work, rests } = onHeldClock();
    const [one, other] = [turns(), turns()];
    const first = work(one, 2);
    const second = work(other, 0);
    await Promise.all([first, second]);
    expect(rests).toEqual([12, 24]);
  });
});

describe('a file', () => {
  const bodyAlone: FileFormat = {
    head: () => '',
    *event({ body }) {
      yield body;
    },
    separator: '',
    tail: () => '',
  };
  const row = (bytes: number): ExportRow => {
    const body = new Uint8Array(bytes).fill(120);
    const sha256 = createHash('sha256').update(body).digest('hex');
    return { seq: 1, nonce: new Uint8Array(8), sha256, ...packContent([], body) } as ExportRow;
  };

  const turnsFor = async (rows: ExportRow[]): Promise<number> => {
    let turns = 0;
    const file = writeFile({
      format: bodyAlone,
      subject: {} as Parameters<FileFormat['head']>[0],
      history: (async function* () {
        yield rows;
      })(),
      matches: () => true,
      turn: async () => {
        turns++;
      },
      onDamaged: () => {},
    });
    for await (const _ of file);
    return turns;
  };

  test('names the first thousand of the events that it lacks, and counts them all', async () => {
    const seen: unknown[] = [];
    const file = writeFile({
      format: { ...bodyAlone, tail: damaged => JSON.stringify([damaged?.count, damaged?.ids.length]) },
      subject: {} as Parameters<FileFormat['head']>[0],
      history: (async function* () {
        yield Array.from({ length: 1200 }, () => ({ ...row(10), sha256: '00' }));
      })(),
      matches: () => true,
      turn: () => undefined,
      onDamaged: ({ count, ids }) => seen.push(count, ids.length),
    });
    const text: string[] = [];
    for await (const chunk of file) text.push(new TextDecoder().decode(chunk));
    expect([text.join(''), ...seen]).toEqual(['[1200,1000]', 1200, 1000]);
  });

  test('has a turn before each event, and more within a long one', async () => {
    expect(await turnsFor([row(10), row(10), row(10)])).toBe(3);
    expect(await turnsFor([row(4 << 20)])).toBeGreaterThan(10);
  });
});
