import { describe, expect, test } from 'bun:test';
import { xssPayloads } from '../../../testing/browser/xss.ts';
import { noChoice } from '../../kit/timeline/axis.ts';
import {
  type InspectorState,
  maxFindCharacters,
  maxPickedInUrl,
  missingPicks,
  type PickStore,
  readInspectorState,
  withInspectorState,
} from './inspector-url.ts';

const storeOf = (): PickStore => {
  const kept = new Map<string, readonly string[]>();
  return { save: (name, ids) => void kept.set(name, ids), load: name => kept.get(name)?.slice() };
};
const plain: InspectorState = { tab: 'body', view: undefined, find: '', picked: [], axis: noChoice };
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `evt_${String(n).padStart(31, '0')}`);

/** Written into a query, through a URL, and read again. */
function throughUrl(state: Partial<InspectorState>, store = storeOf()): { state: InspectorState; text: string } {
  const written = withInspectorState(new URLSearchParams(), { ...plain, ...state }, store);
  const text = new URL(`/app/endpoints/ep_1?${written}`, 'http://127.0.0.1').search;
  return { state: readInspectorState(new URLSearchParams(text), store), text };
}

describe('the state of the inspector in a URL', () => {
  test('what is usual is not written', () => expect(throughUrl({}).text).toBe(''));

  test('tab, view, find text, selection and period come back', () => {
    const axis = { from: '2026-11-28T13:50Z', to: '2026-11-28T14:30:05Z' };
    const state: InspectorState = {
      tab: 'signature',
      view: 'hex',
      find: 'a&b=c # 100% "ü" 🙂\n',
      picked: ids(3),
      axis,
    };
    expect(throughUrl(state).state).toEqual(state);
  });

  test.each([...xssPayloads, '\0', '\u202e', '%', '+', '../../..', '\\', '?tab=query'])(
    'any text to find comes back: %p',
    find => {
      const { state } = throughUrl({ find });
      expect(state).toEqual({ ...plain, find: find.slice(0, maxFindCharacters) });
    },
  );

  test('a long text to find is cut, and no character in two', () => {
    expect(throughUrl({ find: 'x'.repeat(9999) }).state.find).toHaveLength(maxFindCharacters);
    const find = `${'x'.repeat(maxFindCharacters - 1)}🙂`;
    expect(throughUrl({ find }).state.find).toBe('x'.repeat(maxFindCharacters - 1));
  });

  test.each([
    'tab=evil&view=%3Cscript%3E&picked=%3Cimg%20src%3Dx%3E',
    'tab=constructor&view=../x&picked=..%2F..',
    'tab=&view=&find=&picked=&from=&to=',
    'from=yesterday&to=2026-11-28T13:50Z',
    'from=0&to=7d',
    'tab=Body&picked=...',
  ])('what is not understood is left out: %s', query => {
    expect(readInspectorState(new URLSearchParams(query), storeOf())).toEqual(plain);
  });

  test('an event is picked once, and only as many as a link carries', () => {
    const many = [...ids(60), 'evt_1', 'evt_1'].join('.');
    expect(readInspectorState(new URLSearchParams({ picked: 'a.b.a' }), storeOf()).picked).toEqual(['a', 'b']);
    expect(readInspectorState(new URLSearchParams({ picked: many }), storeOf()).picked).toEqual(ids(maxPickedInUrl));
  });

  test('the other parameters stay, and the URL stays short', () => {
    const query = new URLSearchParams({ where: 'type:a "b"', tab: 'query', x: '1' });
    const written = withInspectorState(query, { ...plain, picked: ids(maxPickedInUrl) }, storeOf());
    expect([written.get('where'), written.get('x'), written.get('tab')]).toEqual(['type:a "b"', '1', null]);
    expect(written.toString().length).toBeLessThan(2000);
  });
});

describe('a selection that is too long for a link', () => {
  test('is kept beside it, and another one of the same size is another', () => {
    const store = storeOf();
    const [one, other] = [ids(300), ids(301).slice(1)];
    const urls = [one, other].map(picked => throughUrl({ picked }, store));
    expect(urls.map(({ state }) => state.picked)).toEqual([one, other]);
    expect(urls[0]?.text).not.toBe(urls[1]?.text);
    expect(urls[0]?.text.length).toBeLessThan(40);
  });

  test('is missed where it was not made', () => {
    const { text } = throughUrl({ picked: ids(300) });
    const query = new URLSearchParams(text);
    expect(readInspectorState(query, storeOf()).picked).toEqual([]);
    expect(missingPicks(query, storeOf())).toBe(300);
    expect(missingPicks(new URLSearchParams({ picked: 'evt_1' }), storeOf())).toBe(0);
  });
});
