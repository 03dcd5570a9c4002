import { describe, expect, test } from 'bun:test';
import { byteText } from '../body/bytes.ts';
import { createFinder, type Finder, maxHits, type Source } from './finder.ts';

/** A finder whose time stands still, and whose later work runs when asked. */
function openFinder({ msPerLook = 0 } = {}) {
  let time = 0;
  const waiting: (() => void)[] = [];
  const finder = createFinder({
    now: () => {
      time += msPerLook;
      return time;
    },
    later: run => {
      waiting.push(run);
      return () => {
        const at = waiting.indexOf(run);
        if (at >= 0) waiting.splice(at, 1);
      };
    },
  });
  const runAll = (): number => {
    let runs = 0;
    for (let run = waiting.shift(); run; run = waiting.shift(), runs++) run();
    return runs;
  };
  return { finder, runAll };
}

const latin1 = (...bytes: number[]): string => String.fromCharCode(...bytes);
const utf8 = (text: string): string => latin1(...new TextEncoder().encode(text));

const source = (order: number, ...texts: string[]): Source => ({ order, texts });
const places = (finder: Finder, of: Source): string[] =>
  finder.hitsOf(of).map(({ text, start, end }) => of.texts[text]?.slice(start, end) ?? '');

describe('a search in bytes', () => {
  const found = (term: string, text: string): number[] => {
    const { finder, runAll } = openFinder();
    const bytes: Source = { order: 0, texts: [text], isBytes: true };
    finder.add(bytes);
    finder.setTerms([term]);
    runAll();
    return finder.hitsOf(bytes).flatMap(({ start, end }) => [start, end]);
  };

  test('finds text as it is in UTF-8, in upper and lower case', () => {
    expect(found('REFUND', 'a refund')).toEqual([2, 8]);
    expect(found('é', utf8('xÉ'))).toEqual([1, 3]);
    // Upper and lower case of the bytes are other bytes.
    expect(found('é', latin1(0xe3, 0x89))).toEqual([]);
    expect(found('"a": 1', '{"a":1}')).toEqual([1, 6]);
    expect(found('.*', 'x.*')).toEqual([1, 3]);
  });

  test('turns bytes into text piece by piece, and finds what lies across two pieces', () => {
    const { finder, runAll } = openFinder({ msPerLook: 10 });
    const bytes = new Uint8Array(1_100_000).fill(0xff);
    const at = [0, 262_141, 262_144 * 3 - 1, 1_099_996];
    for (const place of at) bytes.set([0xde, 0xad, 0xbe, 0xef], place);
    const text = byteText(bytes);
    let longest = 0;
    const slice = (from: number, to: number): string => {
      longest = Math.max(longest, to - from);
      return text.slice(from, to);
    };
    const source: Source = { order: 0, texts: [{ length: text.length, slice }], isBytes: true };
    finder.add(source);
    finder.setTerms(['de ad be ef']);
    expect(runAll()).toBeGreaterThan(4);
    expect(finder.hitsOf(source).map(({ start }) => start)).toEqual(at);
    expect(longest).toBeLessThan(300_000);
  });

  test('finds bytes by pairs of hexadecimal digits, with and without space, and the digits as text', () => {
    const bytes = latin1(0, 0xde, 0xad, 0xbe, 0xef);
    expect(found('DE ad', bytes)).toEqual([1, 3]);
    expect(found('deadbeef', bytes)).toEqual([1, 5]);
    expect(found('be', `be${bytes}`)).toEqual([0, 2, 5, 6]);
    expect(found('dea', bytes)).toEqual([]);
  });
});

describe('a search in the views of a panel', () => {
  test('counts the hits of all views in their order, and steps through them in a circle', () => {
    const { finder, runAll } = openFinder();
    const [second, first] = [source(1, 'refund', 'x', 'Refunded'), source(0, 'a refund')];
    finder.add(second);
    finder.add(first);
    finder.setTerms(['refund']);
    runAll();
    expect(finder.found()).toEqual({ count: 3, position: 1, isDone: true, isCapped: false });
    expect(finder.currentOf(first)).toEqual({ text: 0, start: 2, end: 8 });
    expect(finder.currentOf(second)).toBeUndefined();
    finder.step(1);
    finder.step(1);
    expect(finder.currentOf(second)).toEqual({ text: 2, start: 0, end: 6 });
    finder.step(1);
    expect(finder.found().position).toBe(1);
    finder.step(-1);
    expect(finder.found().position).toBe(3);
  });

  test('begins anew with another text, and when a view appears or goes', () => {
    const { finder, runAll } = openFinder();
    const [one, other] = [source(0, 'a b a'), source(1, 'a')];
    finder.add(one);
    finder.setTerms(['a']);
    runAll();
    finder.step(1);
    const remove = finder.add(other);
    runAll();
    expect(finder.found()).toMatchObject({ count: 3, position: 1 });
    remove();
    runAll();
    expect(finder.found().count).toBe(2);
    finder.setTerms(['b']);
    runAll();
    expect(places(finder, one)).toEqual(['b']);
    finder.setTerms([]);
    runAll();
    expect(finder.found()).toMatchObject({ count: 0, position: 0, isDone: true });
  });

  test('leaves out what is not shown, and half of an escaped backslash', () => {
    const { finder, runAll } = openFinder();
    const json: Source = {
      order: 0,
      isJson: true,
      texts: ['{"a":"\\\\u00e9 \\u00e9 é"}'],
      accepts: hit => hit.start > 5,
    };
    finder.add(json);
    finder.setTerms(['é', '"a"']);
    runAll();
    expect(places(finder, json)).toEqual(['\\u00e9', 'é']);
  });

  test('finds each hit of a long text once, in slices', () => {
    const { finder, runAll } = openFinder({ msPerLook: 10 });
    const word = 'needle';
    const at = [0, 262_141, 262_144 * 2 - 6, 262_144 * 3, 1_000_000];
    const text = [...'.'.repeat(1_100_000)];
    for (const place of at) text.splice(place, word.length, ...word);
    const long = source(0, text.join(''));
    finder.add(long);
    finder.setTerms([word]);
    expect(runAll()).toBeGreaterThan(4);
    expect(finder.hitsOf(long).map(({ start }) => start)).toEqual(at);
  });

  test('stops at a number of hits that nobody steps through', () => {
    const { finder, runAll } = openFinder();
    finder.add(source(0, 'a'.repeat(maxHits * 3)));
    finder.setTerms(['a']);
    runAll();
    expect(finder.found()).toMatchObject({ count: maxHits, isCapped: true, isDone: true });
  });
});
