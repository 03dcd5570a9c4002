import { describe, expect, test } from 'bun:test';
import { thrownBy } from '../../testing/thrown-by.ts';
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
const monotonic = () => 0;
const a = address('a', 1);
const b = address('b', 2, 'other');

describe('the endpoint registry', () => {
  test('finds endpoints that were loaded or added, and none that was removed', async () => {
    const registry = createEndpointRegistry({ now, monotonic, load: async () => [a] });
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
      monotonic,
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
    const loads = [loading.promise];
    const looking = Promise.withResolvers<RegisteredEndpoint | undefined>();
    const lookups: string[] = [];
    const registry = createEndpointRegistry({
      now,
      monotonic,
      load: async () => loads.shift() ?? [],
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

describe('with other processes, endpoints that were loaded too long ago', () => {
  test('are loaded again before an address is found, and nothing is found while that fails', async () => {
    let time = 0;
    let loads = 0;
    let failure: Error | undefined;
    const registry = createEndpointRegistry({
      now,
      monotonic: () => time,
      load: async () => {
        loads++;
        if (failure) throw failure;
        return [a];
      },
      lookUp: async () => undefined,
    });
    await registry.refresh();
    time = 3000;
    expect(registry.find(a.token)).toEqual(a);
    time = 3001;
    expect(await Promise.all([registry.find(a.token), registry.find(a.token)])).toEqual([a, a]);
    expect([loads, registry.find(a.token)]).toEqual([2, a]);
    time = 10_000;
    failure = new Error('the database is away');
    expect(await thrownBy(Promise.resolve(registry.find(a.token)))).toThrow('away');
    failure = undefined;
    expect(await registry.find(a.token)).toEqual(a);
  });

  test('are refused while loading takes as long as that', async () => {
    let time = 0;
    const registry = createEndpointRegistry({
      now,
      monotonic: () => time,
      load: async () => {
        time += 4000;
        return [a];
      },
      lookUp: async () => undefined,
    });
    time = 5000;
    expect(await thrownBy(Promise.resolve(registry.find(a.token)))).toThrow('cannot be read');
  });
});

describe('paused endpoints and earlier tokens', () => {
  const rotated = { ...a, previous: [{ token: token('c'), replacedAt: 500, until: 2000 }] };

  test('an earlier token is found until its end, and says that it is one', () => {
    let time = 1999;
    const registry = createEndpointRegistry({ now: () => time, monotonic, load: async () => [] });
    registry.add(rotated);
    expect(registry.find(token('c'))).toEqual({ seq: a.seq, token: token('c'), isPrevious: true });
    time = 2000;
    expect([registry.find(token('c')), registry.find(a.token)]).toEqual([undefined, rotated]);
  });

  test('nothing of a paused endpoint is found, but that it is paused; a token past its end is just unknown', () => {
    let time = 1999;
    const registry = createEndpointRegistry({ now: () => time, monotonic, load: async () => [] });
    registry.add({ ...rotated, isPaused: true });
    registry.add(b);
    const tokens = [a.token, token('c'), b.token, token('d')];
    expect(tokens.map(one => registry.find(one) !== undefined)).toEqual([false, false, true, false]);
    expect(tokens.map(registry.pausedEndpoint)).toEqual([a.seq, a.seq, undefined, undefined]);
    time = 2000;
    expect(tokens.map(registry.pausedEndpoint)).toEqual([a.seq, undefined, undefined, undefined]);
    registry.add(rotated);
    expect([registry.find(a.token), registry.pausedEndpoint(a.token)]).toEqual([rotated, undefined]);
    registry.removeById(a.id);
    expect(tokens.map(registry.find)).toEqual([undefined, undefined, b, undefined]);
  });

  test('with another process, a change of it is found by a lookup and by a refresh', async () => {
    let stored: RegisteredEndpoint = rotated;
    const registry = createEndpointRegistry({
      now,
      monotonic,
      load: async () => [stored],
      lookUp: async one => (one === stored.token || one === token('c') ? stored : undefined),
    });
    expect(await registry.find(token('c'))).toEqual({ seq: a.seq, token: token('c'), isPrevious: true });
    stored = { ...rotated, isPaused: true };
    await registry.refresh();
    expect([registry.find(a.token), registry.pausedEndpoint(a.token)]).toEqual([undefined, a.seq]);
  });

  test('tells which URL events of a time were sent to; around a rotation it may be either', () => {
    const registry = createEndpointRegistry({ now, monotonic, load: async () => [] });
    registry.add({
      ...a,
      previous: [
        { token: token('c'), replacedAt: 100_000, until: 200_000 },
        { token: token('d'), replacedAt: 300_000, until: 300_000 },
      ],
    });
    const at = (time: number): string =>
      registry
        .tokensAt(a, time)
        .map(one => one[0])
        .join('');
    expect([99_999, 100_000, 109_999, 110_000, 299_999, 300_000, 310_000].map(at)).toEqual([
      'c',
      'dc',
      'dc',
      'd',
      'd',
      'ad',
      'a',
    ]);
    expect(registry.tokensAt(b, 0)).toEqual([b.token]);
  });
});
