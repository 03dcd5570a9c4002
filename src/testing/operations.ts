/*
 * Builds a request for every operation of `/openapi.json`, for tests of all operations. A new operation on a known kind of
 * resource needs an entry here only if it has a body. For any other, `requestFor` throws and names the missing entry.
 */
import { createApi } from '../app.ts';
import { sha256 } from '../core/encoding/sha256.ts';
import { type DeclaredOperation, declaredOperations } from '../http/route-table.ts';
import { newSecret } from './mcp-receiver.ts';
import { createCaller } from './mcp-subscriptions.ts';
import {
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
  type Tokens,
} from './oauth-harness.ts';
import { operationBodies } from './operation-bodies.ts';
import { eventually } from './poll.ts';

type Parameter = { name: string; in: 'path' | 'query'; required: boolean };
/** An operation with its declaration at the route and its description. */
export type Operation = DeclaredOperation & {
  security?: object[];
  parameters?: Parameter[];
  requestBody?: object;
  responses: Record<string, { description: string }>;
};

export type ResourceKind =
  | 'consumer'
  | 'listener'
  | 'endpoint'
  | 'event'
  | 'replay'
  | 'delivery'
  | 'secret'
  | 'filter'
  | 'alert'
  | 'type'
  | 'key'
  | 'app'
  | 'subscription'
  | 'session'
  | 'passkey'
  | 'member'
  | 'invitation'
  | 'pendingInvitation'
  | 'previousUrl'
  | 'forward'
  | 'job'
  | 'jobItem'
  | 'erasure';

/** The kind of resource that a path parameter identifies, by the path up to it. */
const pathKinds: Record<string, ResourceKind> = {
  '/api/endpoints/{id}': 'endpoint',
  '/api/endpoints/{id}/secrets/{secretId}': 'secret',
  '/api/endpoints/{id}/consumers/{name}': 'consumer',
  '/api/endpoints/{id}/listeners/{name}': 'listener',
  '/api/endpoints/{id}/filters/{filterId}': 'filter',
  '/api/endpoints/{id}/alerts/{aid}': 'alert',
  '/api/endpoints/{id}/forwards/{fid}': 'forward',
  '/api/endpoints/{id}/schemas/{type}': 'type',
  '/api/endpoints/{id}/previous-urls/{urlId}': 'previousUrl',
  '/api/events/{id}': 'event',
  '/api/events/{id}/replays/{replayId}': 'replay',
  '/api/deliveries/{key}': 'delivery',
  '/api/replay-jobs/{id}': 'job',
  '/api/replay-jobs/{id}/items/{eventId}': 'jobItem',
  '/api/erasures/{id}': 'erasure',
  '/api/keys/{id}': 'key',
  '/api/apps/{id}': 'app',
  '/api/apps/{id}/subscriptions/{sid}': 'subscription',
  '/api/sessions/{id}': 'session',
  '/api/me/passkeys/{id}': 'passkey',
  '/api/team/members/{id}': 'member',
  '/api/team/invitations/{id}': 'pendingInvitation',
  '/api/invitations/{token}': 'invitation',
};
/** The kind of resource that a required query parameter identifies. */
const queryKinds: Record<string, ResourceKind> = { endpointId: 'endpoint' };
/** Values for required query parameters that identify no resource. */
const queryValues: Record<string, string> = { field: 'type' };

/** Operations that cannot succeed in these tests, and the status that they return. */
export const neverSucceeds: Record<string, number> = {
  setUp: 401,
  startTotp: 403,
  confirmTotp: 403,
  turnOffTotp: 403,
  startPasskey: 403,
  createPasskey: 403,
  renamePasskey: 403,
  deletePasskey: 403,
  signInWithPasskey: 401,
  bindOidc: 403,
  unbindOidc: 403,
};

/** The path parameters, then the required query parameters. */
export const resourceParameters = ({
  path,
  parameters = [],
}: Operation): { name: string; kind: ResourceKind | undefined }[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(({ 0: placeholder, 1: name = '', index }) => ({
    name,
    kind: pathKinds[path.slice(0, index + placeholder.length)],
  })),
  ...parameters
    .filter(({ in: place, required, name }) => place === 'query' && required && queryValues[name] === undefined)
    .map(({ name }) => ({ name, kind: queryKinds[name] })),
];

/** @param ids a value for each of the `resourceParameters` @throws if an entry for the operation is missing */
export function requestFor(
  operation: Operation,
  ids: Record<string, string>,
  fixture: OperationFixture,
): [string, RequestInit] {
  const { operationId, method, path, requestBody } = operation;
  const unknown = resourceParameters(operation).find(({ kind }) => kind === undefined);
  const body = operationBodies[operationId]?.(fixture);
  if (unknown)
    throw new Error(`add the kind of resource of {${unknown.name}} in ${operationId} to src/testing/operations.ts`);
  if (requestBody && !body) throw new Error(`add a body for ${operationId} to src/testing/operation-bodies.ts`);
  const address = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? ''));
  const inQuery = resourceParameters(operation).filter(({ name }) => !path.includes(`{${name}}`));
  const query = new URLSearchParams(Object.fromEntries(inQuery.map(({ name }) => [name, ids[name] ?? ''])));
  for (const { name } of operation.parameters ?? []) if (queryValues[name]) query.set(name, queryValues[name]);
  return [
    query.size > 0 ? `${address}?${query}` : address,
    {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    },
  ];
}

export type OperationFixture = Awaited<ReturnType<typeof openOperationFixture>>;

/** Ada owns a team, Cleo is a member of it, Bob is in another team. Each has one of every resource. */
export async function openOperationFixture(env: Record<string, string> = {}) {
  const harness: OAuthHarness = await openOAuthHarness({ env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1', ...env } });
  const { server } = harness;
  let count = 0;
  const newEmail = (): string => `guest-${++count}@example.com`;
  const ada = await harness.createAccount('ada@example.com');
  const cleo = await harness.createAccount('cleo@example.com', 'ada@example.com');
  const bob = await harness.createAccount('bob@example.com');
  const client = await harness.register({ client_name: 'Test app' });

  const idIn = async (who: SignedInAccount, path: string, list: string, newest = true): Promise<string> => {
    const found = (await who.json<Record<string, { id: string }[]>>(200, 'GET', path))[list] ?? [];
    return (newest ? found.at(-1) : found[0])?.id ?? '';
  };
  /** Uses a new session, because some operations end sessions. */
  const connect = async (app: TestClient, who: SignedInAccount): Promise<Tokens> =>
    harness.connect(app, { ...who, cookie: await harness.signIn(who.email) });

  /** Creates a resource of this account, and the resources that contain it. */
  const create: Record<ResourceKind, (who: SignedInAccount) => Promise<Record<string, string>>> = {
    endpoint: async who => ({ endpoint: (await who.createEndpoint()).id }),
    event: async who => ({ event: await server.deliver(await who.createEndpoint()) }),
    replay: async who => {
      const event = await server.deliver(await who.createEndpoint());
      await who.json(200, 'POST', `/api/events/${event}/replay`, { url: destination });
      const { replays } = await who.json<{ replays: { id: string }[] }>(200, 'GET', `/api/events/${event}`);
      return { event, replay: replays[0]?.id ?? '' };
    },
    delivery: async who => {
      const endpoint = await who.createEndpoint();
      const id = await server.deliver(endpoint);
      const { delivery } = await who.json<{ delivery: { key: string } }>(200, 'GET', `/api/events/${id}`);
      return { endpoint: endpoint.id, delivery: delivery.key };
    },
    secret: async who => {
      const endpoint = (await who.createEndpoint()).id;
      const secret = { platform: 'github', secret: 'a secret of a test' };
      return {
        endpoint,
        secret: (await who.json(201, 'POST', `/api/endpoints/${endpoint}/secrets`, secret))['id'] as string,
      };
    },
    alert: async who => {
      const endpoint = (await who.createEndpoint()).id;
      const alert = { name: 'quiet', kind: 'silence', minutes: 5, channel: { type: 'webhook', url: destination } };
      return {
        endpoint,
        alert: (await who.json(201, 'POST', `/api/endpoints/${endpoint}/alerts`, alert))['id'] as string,
      };
    },
    consumer: async who => {
      const endpoint = (await who.createEndpoint()).id;
      const consumer = `consumer-${++count}`;
      await who.json(200, 'PUT', `/api/endpoints/${endpoint}/consumers/${consumer}`, { cursor: 'start' });
      return { endpoint, consumer };
    },
    listener: async who => ({ endpoint: (await who.createEndpoint()).id, listener: `listener-${++count}` }),
    filter: async who => {
      const endpoint = (await who.createEndpoint()).id;
      const filter = { name: 'to be deleted', where: 'type:a' };
      return {
        endpoint,
        filter: (await who.json(201, 'POST', `/api/endpoints/${endpoint}/filters`, filter))['id'] as string,
      };
    },
    forward: async who => {
      const endpoint = (await who.createEndpoint()).id;
      const body = { name: 'of a test', url: 'http://127.0.0.1:9/hook' };
      const { id } = await who.json<{ id: string }>(201, 'POST', `/api/endpoints/${endpoint}/forwards`, body);
      return { endpoint, forward: id };
    },
    type: async who => {
      const endpoint = await who.createEndpoint();
      const type = `event_${++count}`;
      await server.deliver(endpoint, '{}', { headers: { 'x-github-event': type } });
      server.services.schemaLearner.wake();
      await server.services.background.idle();
      return { endpoint: endpoint.id, type };
    },
    key: async who => ({ key: (await server.services.keys.create(who.accountId, 'to be revoked')).id }),
    app: async who => {
      await connect(await harness.register(), who);
      return { app: await idIn(who, '/api/apps', 'apps') };
    },
    subscription: async who => {
      const client = await harness.register();
      const tokens = await connect(client, who);
      const { apps } = await who.json<{ apps: { id: string; clientId: string }[] }>(200, 'GET', '/api/apps');
      const app = apps.find(({ clientId }) => clientId === client.id)?.id ?? '';
      const { id } = await who.createEndpoint();
      // No one listens there, so its challenge counts as answered.
      const url = 'https://127.0.0.1:4666/hook';
      await server.services.database.client.execute({
        sql: 'INSERT INTO mcp_callbacks VALUES (?, ?, 0)',
        args: [app, sha256(Buffer.from(url))],
      });
      const { result } = await createCaller(harness.fetch, tokens.access_token)('events/subscribe', {
        name: 'webhook.received',
        arguments: { endpoint: id },
        delivery: { mode: 'webhook', url, secret: newSecret() },
      });
      return { app, subscription: String(result?.['id']) };
    },
    session: async who => {
      await harness.signIn(who.email);
      return { session: await idIn(who, '/api/sessions', 'sessions') };
    },
    passkey: async who => {
      const passkey = `pky_${++count}`;
      await server.services.database.client.execute({
        sql: `INSERT INTO passkeys (id, account_id, credential_id, public_key, counter, transports, name, created_at)
              VALUES (?1, ?2, CAST(?1 AS BLOB), x'01', 0, '[]', 'of a test', 1)`,
        args: [passkey, who.accountId],
      });
      return { passkey };
    },
    member: async who => ({ member: (await server.createAccount(newEmail(), { teamOf: who.email })).accountId }),
    pendingInvitation: async who => {
      const { id } = await who.json<{ id: string }>(201, 'POST', '/api/team/invitations', { email: newEmail() });
      return { pendingInvitation: id };
    },
    job: async who => {
      const endpoint = await who.createEndpoint();
      // The job does not finish, because the second event waits.
      for (let n = 0; n < 2; n++) await server.deliver(endpoint);
      const body = { endpointId: endpoint.id, dest: `${destination}/${crypto.randomUUID()}`, pace: '0.001/s' };
      const { id } = await who.json<{ id: string }>(202, 'POST', '/api/replay-jobs', body);
      return { job: id };
    },
    jobItem: async who => {
      const { url } = await who.createEndpoint();
      const endpoint = await who.createEndpoint();
      const jobItem = await server.deliver(endpoint);
      const dests = {
        dest: `${destination}/${crypto.randomUUID()}`,
        dest2: `${await server.listen()}${new URL(url).pathname}`,
      };
      const { id } = await who.json<{ id: string }>(202, 'POST', '/api/replay-jobs', {
        endpointId: endpoint.id,
        ...dests,
      });
      await eventually(async () => (await who.json(200, 'GET', `/api/replay-jobs/${id}`))['state'] === 'done');
      return { job: id, jobItem };
    },
    erasure: async who => {
      const body = { text: 'a text that no event has', dryRun: true };
      return { erasure: (await who.json<{ id: string }>(200, 'POST', '/api/erasures', body)).id };
    },
    previousUrl: async who => {
      const { id } = await who.createEndpoint();
      const rotated = await who.json<{ previousUrls: { id: string }[] }>(
        200,
        'POST',
        `/api/endpoints/${id}/rotate`,
        {},
      );
      return { endpoint: id, previousUrl: rotated.previousUrls[0]?.id ?? '' };
    },
    invitation: async who => {
      const { url } = await who.json<{ url: string }>(201, 'POST', '/api/team/invitations', { email: newEmail() });
      return { invitation: new URL(url).searchParams.get('invitation') ?? '' };
    },
  };

  const target = await ada.createEndpoint('replay destination');
  const destination = `${await server.listen()}${new URL(target.url).pathname}`;
  const document = (await (await harness.fetch('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Omit<Operation, keyof DeclaredOperation>>>;
  };
  const operations: Operation[] = declaredOperations(createApi(harness.services).routes).map(declared => {
    const described = document.paths[declared.path]?.[declared.method.toLowerCase()];
    if (!described) throw new Error(`${declared.operationId} is not described`);
    return { ...declared, ...described };
  });
  return {
    harness,
    ada,
    bob,
    cleo,
    client,
    destination,
    target,
    operations,
    create,
    newEmail,
    connect,
    close: harness.close,
  };
}

/** Creates a resource of the account for each parameter of the operation. @returns the ids by parameter name */
export async function createResourcesFor(
  fixture: OperationFixture,
  operation: Operation,
  who: SignedInAccount,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  const created: Record<string, string> = {};
  // The innermost resource of the path comes first, because the resources that contain it are created with it.
  const parameters = resourceParameters(operation);
  const isInPath = ({ name }: { name: string }): boolean => operation.path.includes(`{${name}}`);
  for (const { name, kind } of [
    ...parameters.filter(isInPath).reverse(),
    ...parameters.filter(one => !isInPath(one)),
  ]) {
    if (kind === undefined) continue;
    if (created[kind] === undefined) Object.assign(created, await fixture.create[kind](who));
    ids[name] = created[kind] ?? '';
  }
  return ids;
}
