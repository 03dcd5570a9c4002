/*
 * Every operation of `/openapi.json`: who is refused, and that what belongs to somebody else cannot be told from what does not
 * exist. New operations are walked, too: see src/testing/operations.ts.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { createApi } from '../app.ts';
import {
  allowedToApps,
  appForbiddenMessage,
  deniedToApps,
  isAllowedToApps,
  readOnlyMessage,
} from '../core/access/permissions.ts';
import type { SignedInAccount } from '../testing/oauth-harness.ts';
import {
  createResourcesFor,
  neverSucceeds,
  type Operation,
  openOperationFixture,
  type ResourceKind,
  requestFor,
  resourceParameters,
} from '../testing/operations.ts';

const fixture = await openOperationFixture();
const limited = await openOperationFixture({ HOOKTAPE_RATE_LIMIT: '1' });
afterAll(async () => {
  await fixture.close();
  await limited.close();
});
const { ada, bob, cleo, harness, operations } = fixture;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const send = async (
  operation: Operation,
  ids: Record<string, string>,
  headers: Record<string, string>,
  at = fixture,
) => {
  const [path, init] = requestFor(operation, ids, at);
  const response = await at.harness.fetch(path, { ...init, headers: { ...init.headers, ...headers } });
  const isStream = response.ok && response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  return { status: response.status, headers: response.headers, text: isStream ? '' : await response.text() };
};
const missing: Record<string, string> = {
  endpoint: 'ep_0000000000000000000000',
  event: 'evt_0000000000000000000000',
  secret: 'sec_0000000000000000000000',
};
const succeeded = ({ operationId }: Operation, status: number): boolean =>
  neverSucceeds[operationId] === undefined ? status >= 200 && status < 300 : status === neverSucceeds[operationId];
const table = operations.map(operation => [`${operation.method} ${operation.path}`, operation] as const);
const closed = ({ permission }: Operation): boolean => !isAllowedToApps(permission);

test('every route of the API declares its operation, and the description has no other', async () => {
  const routes = createApi(harness.services).routes.map(
    ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
  );
  const { paths } = (await (await harness.fetch('/openapi.json')).json()) as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
  );
  const declared = table.map(([name]): string => name).toSorted();
  expect(routes.toSorted()).toEqual(declared);
  expect(described.toSorted()).toEqual(declared);
});

describe('without credentials that hold', () => {
  test.each(table.filter(([, { isOpen }]) => !isOpen))('%s is 401', async (_, operation) => {
    const ids = Object.fromEntries(resourceParameters(operation).map(({ name }) => [name, 'unknown']));
    for (const headers of [{}, bearer('nonsense'), bearer(`htk_${'0'.repeat(52)}`)] as Record<string, string>[]) {
      const answer = await send(operation, ids, headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toStartWith('Bearer ');
      expect(JSON.parse(answer.text)).toEqual({ error: 'credentials are missing, invalid or revoked' });
    }
  });
});

describe('with an API key', () => {
  test.each(table)('%s works on what is one’s own', async (_, operation) => {
    const { status, text } = await send(operation, await createResourcesFor(fixture, operation, ada), bearer(ada.key));
    expect([text, succeeded(operation, status)]).toEqual([text, true]);
  });

  // What a member of the same team owns as a person, and what the team owns.
  const personal: ResourceKind[] = ['key', 'app', 'session'];
  // Operations that need a session are refused before they look for anything.
  const allowed = operations.filter(({ operationId }) => neverSucceeds[operationId] !== 403);
  const asked = allowed.flatMap(operation =>
    resourceParameters(operation)
      // A consumer or listener that does not exist is created, whatever other endpoints have.
      .filter(({ kind }) => kind !== 'listener' && (operation.operationId !== 'putConsumer' || kind !== 'consumer'))
      .map(({ name, kind }) => [`${operation.method} ${operation.path}`, name, operation, kind] as const),
  );
  test.each(asked)('%s tells no foreign {%s} from one that does not exist', async (_, name, operation, kind) => {
    const own = await createResourcesFor(fixture, operation, ada);
    const unknown = await send(operation, { ...own, [name]: missing[kind ?? ''] ?? 'unknown' }, bearer(ada.key));
    expect([unknown.status, JSON.parse(unknown.text)]).toEqual([404, { error: expect.stringMatching(/ not found$/) }]);
    // An invitation is valid for anyone who has its link.
    if (kind === undefined || kind === 'invitation') return;
    for (const owner of personal.includes(kind) ? [bob, cleo] : [bob]) {
      const theirs = (await fixture.create[kind](owner))[kind] ?? '';
      const foreign = await send(operation, { ...own, [name]: theirs }, bearer(ada.key));
      expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text]);
      expect([...foreign.headers.keys()]).toEqual([...unknown.headers.keys()]);
      await stillThere(owner, kind, theirs);
    }
  });

  /** By an operation of its owner's own. */
  const stillThere = async (owner: SignedInAccount, kind: ResourceKind, id: string): Promise<void> => {
    const lists: Record<
      Exclude<
        ResourceKind,
        | 'secret'
        | 'filter'
        | 'alert'
        | 'forward'
        | 'consumer'
        | 'listener'
        | 'type'
        | 'invitation'
        | 'delivery'
        | 'replay'
        | 'passkey'
        | 'erasure'
      >,
      string
    > = {
      endpoint: '/api/endpoints',
      event: `/api/events/${id}`,
      key: '/api/keys',
      app: '/api/apps',
      subscription: '/api/apps',
      session: '/api/sessions',
      member: '/api/team',
      pendingInvitation: '/api/team/invitations',
      previousUrl: '/api/endpoints',
      job: '/api/replay-jobs',
      jobItem: `/api/events/${id}`,
    };
    // Deliveries and replays are only read.
    if (kind === 'invitation' || kind === 'delivery' || kind === 'replay' || kind === 'listener' || kind === 'erasure')
      return;
    const { rows } = await harness.services.database.client.execute({
      sql: `SELECT id FROM secrets WHERE id = ?1 UNION ALL SELECT id FROM filters WHERE id = ?1
            UNION ALL SELECT id FROM alerts WHERE id = ?1 UNION ALL SELECT id FROM forwards WHERE id = ?1
            UNION ALL SELECT name FROM consumers WHERE name = ?1 UNION ALL SELECT type FROM schemas WHERE type = ?1`,
      args: [id],
    });
    const isRow = ['secret', 'alert', 'filter', 'forward', 'consumer', 'type'].includes(kind);
    const found = isRow ? rows : await owner.json(200, 'GET', (lists as Record<string, string>)[kind] ?? '');
    expect(JSON.stringify(found)).toContain(id);
    if (kind === 'key') await owner.json(200, 'DELETE', `/api/keys/${id}`);
  };
});

describe('with a read-only API key', () => {
  const readOnlyKey = harness.services.keys.create(ada.accountId, 'reads', { readOnly: true });

  test('every GET only reads, and so do the operations that try something out', () => {
    const reads = operations.filter(one => one.reads);
    expect(operations.filter(({ method, reads }) => method === 'GET' && !reads)).toEqual([]);
    expect(
      reads
        .filter(({ method }) => method !== 'GET')
        .map(({ operationId }) => operationId)
        .toSorted(),
    ).toEqual(['checkSignature', 'previewAnswers', 'previewForward', 'previewRedaction', 'testFilter']);
  });

  test.each(table.filter(([, { reads }]) => reads))('%s reads, and works', async (_, operation) => {
    const ids = await createResourcesFor(fixture, operation, ada);
    const { status, text } = await send(operation, ids, bearer((await readOnlyKey).key));
    expect([text, succeeded(operation, status)]).toEqual([text, true]);
    expect(operation.responses['403']?.description).not.toContain('read-only');
  });

  test.each(table.filter(([, { reads }]) => !reads))('%s is 403 and changes nothing', async (_, operation) => {
    const ids = await createResourcesFor(fixture, operation, ada);
    const answer = await send(operation, ids, bearer((await readOnlyKey).key));
    expect([answer.status, JSON.parse(answer.text)]).toEqual([403, { error: readOnlyMessage }]);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(operation.responses['403']?.description).toContain('A read-only API key may not do this');
    // It would have worked with another key: nothing was used up.
    const again = await send(operation, ids, bearer(ada.key));
    expect([again.text, succeeded(operation, again.status)]).toEqual([again.text, true]);
  });

  test.each(['/api/keys/', '/api/%6beys', '/api//keys', '/api/x/../keys', '/API/keys'])(
    'no spelling such as %s gets around it',
    async path => {
      const { keys } = await ada.json<{ keys: object[] }>(200, 'GET', '/api/keys');
      await harness.use((await readOnlyKey).key, path, { method: 'POST', body: '{"name":"x"}' });
      expect((await ada.json<{ keys: object[] }>(200, 'GET', '/api/keys')).keys).toHaveLength(keys.length);
    },
  );
});

describe('beyond the rate limit', () => {
  test.each(table)('%s is 429 with Retry-After', async (_, { method, path }) => {
    const operation = limited.operations.find(one => one.method === method && one.path === path);
    if (!operation) throw new Error('the description changed');
    const ids = Object.fromEntries(resourceParameters(operation).map(({ name }) => [name, 'unknown']));
    await send(operation, ids, bearer(limited.ada.key), limited);
    const refused = await send(operation, ids, bearer(limited.ada.key), limited);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(JSON.parse(refused.text)).toEqual({ error: 'rate limit exceeded' });
  });
});

describe('a connected app', () => {
  const connect = async (): Promise<string[]> => {
    const { access_token } = await fixture.connect(fixture.client, ada);
    const make = (by: string) =>
      harness.use(by, '/api/keys', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"of an app"}',
      });
    const { key } = (await (await make(access_token)).json()) as { key: string };
    const { key: second } = (await (await make(key)).json()) as { key: string };
    return [access_token, key, second];
  };
  let connected: Promise<string[]> | undefined;
  /** The same until the app is disconnected: an address may connect only so many times a minute. */
  const credentials = (): Promise<string[]> => {
    connected ??= connect();
    return connected;
  };
  const disconnect = async (): Promise<void> => {
    connected = undefined;
    const { apps } = await ada.json<{ apps: { id: string; clientId: string }[] }>(200, 'GET', '/api/apps');
    for (const { id, clientId } of apps)
      if (clientId === fixture.client.id) await ada.json(200, 'DELETE', `/api/apps/${id}`);
  };

  test('is shown no sentence on the consent page that concerns no operation', () => {
    const used = new Set<string>(operations.map(({ permission }) => permission));
    expect(Object.keys({ ...allowedToApps, ...deniedToApps }).filter(permission => !used.has(permission))).toEqual([]);
  });

  test.each(table.filter(([, operation]) => closed(operation)))(
    '%s is closed to its token and to the keys that it made',
    async (_, operation) => {
      const ids = await createResourcesFor(fixture, operation, ada);
      for (const credential of await credentials()) {
        const answer = await send(operation, ids, bearer(credential));
        expect([answer.status, JSON.parse(answer.text)]).toEqual([403, { error: appForbiddenMessage }]);
        expect(answer.headers.has('www-authenticate')).toBe(false);
      }
      expect(operation.responses['403']?.description).toStartWith(
        'A connected app, or an API key that one made, may not',
      );
    },
  );

  test.each(table.filter(([, operation]) => !closed(operation)))('%s is open to all of them', async (_, operation) => {
    for (const credential of await credentials()) {
      const { status, text } = await send(
        operation,
        await createResourcesFor(fixture, operation, ada),
        bearer(credential),
      );
      expect([text, succeeded(operation, status)]).toEqual([text, true]);
    }
    await disconnect();
    expect(operation.responses['403']?.description).not.toContain('connected app');
  });

  test.each(['/api/team/', '/api/%74eam', '/api//team', '/api/x/../team', '/API/team'])(
    'does not get around it by spelling %s',
    async path => {
      const [token = ''] = await credentials();
      expect((await (await harness.use(token, path)).json()) as object).not.toHaveProperty('members');
    },
  );
});
