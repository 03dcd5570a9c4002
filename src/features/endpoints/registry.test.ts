import { describe, expect, test } from 'bun:test';
import { createEndpointRegistry, type RegisteredEndpoint } from './registry.ts';

const token = (letter: string): string => letter.repeat(32);
const address = (letter: string, seq: number, teamId = 't'): RegisteredEndpoint => ({
  seq,
  id: `ep_${letter}`,
  teamId,
  token: token(letter),
  isPaused: false,
  previous: [],
});
const now = () => 1000;
const a = address('a', 1);
const b = address('b', 2, 'other');

describe('the endpoint registry', () => {
  test('finds endpoints that were loaded or added, and none that was removed', async () => {
    const registry = createEndpointRegistry({ now, load: async () => [a] });
    await registry.refresh();
    registry.add(b);
    expect([registry.find(a.token), registry.find(b.token)]).toEqual([a, b]);
    expect(registry.find(token('c'))).toBeUndefined();
    registry.removeById(a.id);
    registry.removeTeam('other');
    expect([registry.find(a.token), registry.find(b.token)]).toEqual([undefined, undefined]);
  });

  test('looks up an unknown token, which another process may have created, but nothing that cannot be a token', async () => {
    const lookups: string[] = [];
    const registry = createEndpointRegistry({
      now,
      load: async () => [],
      lookUp: async one => {
        lookups.push(one);
        return one === a.token ? a : undefined;
      },
    });
    expect(await registry.find(a.token)).toEqual(a);
    expect(registry.find(a.token)).toEqual(a);
    expect(await registry.find(b.token)).toBeUndefined();
    for (const odd of ['', 'a', token('u'), `${a.token}x`, a.token.toUpperCase()])
      expect(registry.find(odd)).toBeUndefined();
    expect(lookups).toEqual([a.token, b.token]);
  });

  test('a refresh that began before a removal does not bring the endpoint back', async () => {
    const loading = Promise.withResolvers<RegisteredEndpoint[]>();
    const looking = Promise.withResolvers<RegisteredEndpoint | undefined>();
    const lookups: string[] = [];
    const registry = createEndpointRegistry({
      now,
      load: () => loading.promise,
      lookUp: one => {
        lookups.push(one);
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
    // What is not in memory is looked up again.
    void registry.find(a.token);
    void registry.find(b.token);
    expect(lookups).toEqual([b.token, a.token, b.token]);
  });
});
