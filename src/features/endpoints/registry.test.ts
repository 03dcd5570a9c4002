import { describe, expect, test } from 'bun:test';
import { createIngestAddresses, type RegisteredEndpoint } from './registry.ts';

const token = (letter: string): string => letter.repeat(32);
const address = (letter: string, seq: number, teamId = 't'): RegisteredEndpoint => ({
  seq,
  id: `ep_${letter}`,
  teamId,
  token: token(letter),
});
const a = address('a', 1);
const b = address('b', 2, 'other');

describe('the registry', () => {
  test('finds what it loaded and what was added, and nothing that was removed', async () => {
    const registry = createIngestAddresses({ load: async () => [a] });
    await registry.refresh();
    registry.add(b);
    expect([registry.find(a.token), registry.find(b.token)]).toEqual([a, b]);
    expect(registry.find(token('c'))).toBeUndefined();
    registry.removeById(a.id);
    registry.removeTeam('other');
    expect([registry.find(a.token), registry.find(b.token)]).toEqual([undefined, undefined]);
  });

  test('looks up late what another process may have made, but not what cannot be a token', async () => {
    const asked: string[] = [];
    const registry = createIngestAddresses({
      load: async () => [],
      lookUp: async one => {
        asked.push(one);
        return one === a.token ? a : undefined;
      },
    });
    expect(await registry.find(a.token)).toEqual(a);
    expect(registry.find(a.token)).toEqual(a);
    expect(await registry.find(b.token)).toBeUndefined();
    for (const odd of ['', 'a', token('u'), `${a.token}x`, a.token.toUpperCase()])
      expect(registry.find(odd)).toBeUndefined();
    expect(asked).toEqual([a.token, b.token]);
  });

  test('a read that began before a removal does not bring back what was removed', async () => {
    const loading = Promise.withResolvers<RegisteredEndpoint[]>();
    const looking = Promise.withResolvers<RegisteredEndpoint | undefined>();
    const asked: string[] = [];
    const registry = createIngestAddresses({
      load: () => loading.promise,
      lookUp: one => {
        asked.push(one);
        return looking.promise;
      },
    });
    registry.add(a);
    const refreshing = registry.refresh();
    const found = registry.find(b.token);
    registry.removeById(a.id);
    registry.removeById(b.id);
    loading.resolve([a]);
    looking.resolve(b);
    await refreshing;
    await found;
    // What is not in memory is asked for again.
    void registry.find(a.token);
    void registry.find(b.token);
    expect(asked).toEqual([b.token, a.token, b.token]);
  });
});
