import { describe, expect, test } from 'bun:test';
import { xssPayloads } from '../../../testing/browser/xss.ts';
import { type Ranked, rank } from './rank.ts';

const items: Ranked[] = [
  { id: 'curl', label: 'Copy as curl' },
  { id: 'copy', label: 'Copy as…' },
  { id: 'url', label: 'Copy URL' },
  { id: 'replay', label: 'Replay' },
  { id: 'theme', label: 'Theme: dark' },
  { id: 'keys', label: 'Go to settings: API keys' },
  { id: 'shop', label: 'Köln shop', also: ['ep_01hq', 'https://hooks.example.test/in/4kj2'] },
  { id: 'refund', label: 'charge.refund.updated', also: ['evt_0000000001k7v3', 'golden'] },
  { id: 'charge', label: 'charge.refunded', also: ['evt_0000000001k9zz'] },
];
const found = (text: string, recent: string[] = []): string[] => rank(items, text, recent).map(({ id }) => id);

describe('ranking of the palette', () => {
  test.each([
    ['replay', ['replay']],
    ['REPLAY', ['replay']],
    ['koln', ['shop']],
    ['curl', ['curl', 'url']],
    ['curl copy', ['curl', 'url']],
    ['cac', ['curl']],
    ['gtsk', ['keys']],
    ['api k', ['keys']],
    ['chrgref', ['charge', 'refund']],
    ['refunded', ['charge']],
    ['evt_0000000001k9zz', ['charge']],
    ['k7v3', ['refund']],
    ['golden', ['refund']],
    ['ep_01hq', ['shop']],
    ['nothing like it', []],
    ['replay replays', []],
  ])('%s finds %p', (text, ids) => expect(found(text)).toEqual(ids));

  test('the beginning of the name goes before the beginning of a word, that before the inside', () => {
    expect(
      rank(
        [
          { id: 'in', label: 'unpin' },
          { id: 'word', label: 'The pin' },
          { id: 'start', label: 'Pin the event' },
        ],
        'pin',
        [],
      ).map(({ id }) => id),
    ).toEqual(['start', 'word', 'in']);
  });

  test('the shorter name fits better; equal ones keep their order', () => {
    expect(found('copy')).toEqual(['copy', 'url', 'curl']);
  });

  test('letters in an id do not make words', () => {
    expect(rank([{ id: 'a', label: 'order', also: ['evt_0r3p1l4y'] }], 'rply', [])).toEqual([]);
  });

  test('without a text, what was used last comes first, the rest in its order', () => {
    expect(found('', ['theme', 'url']).slice(0, 3)).toEqual(['theme', 'url', 'curl']);
    expect(found('').length).toBe(items.length);
  });

  test('what was used decides between equals, not against a better match', () => {
    expect(found('copy', ['curl'])[0]).toBe('curl');
    expect(found('theme', ['refund'])[0]).toBe('theme');
  });

  test.each([...xssPayloads, '.*', '\\', '(', '[', '$&', '\0', '🙂'])('any text is only a text: %p', text => {
    expect(rank([{ id: 'hostile', label: text }, ...items], text, []).at(0)?.id).toBe('hostile');
  });

  test('2,000 events are ranked for each letter that is typed', () => {
    const many = Array.from({ length: 2000 }, (_, n) => ({
      id: `${n}`,
      label: `a${'a'.repeat(n % 120)}.b`,
      also: [`evt_${n}`],
    }));
    expect(rank(many, 'aaaaaaaaaaab', []).length).toBeGreaterThan(1000);
  });
});
