/* Tests of declared endpoints: a server with two accounts, and short forms of the result of an apply. */

import type { ApplyResult } from '../features/apply/model.ts';
import type { Endpoint } from '../features/endpoints/model.ts';
import { holdClock } from './clock.ts';
import { openTestServer } from './test-server.ts';

type Options = { dryRun?: boolean; prune?: boolean; force?: boolean };

/** Counts and fields in one text, or the problems if there are any. */
export const summary = (result: ApplyResult): string => {
  if ('problems' in result)
    return result.problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  if ('pinned' in result) return `pinned: ${result.pinned.join(', ')}`;
  const { created, changed, removed, unchanged } = result;
  return `${created.length}+ ${changed.map(({ fields }) => fields.join(',')).join(';')}~ ${removed.length}- ${unchanged}=`;
};

export async function openDeclaring() {
  const clock = holdClock();
  const server = await openTestServer({
    clock,
    env: { HOOKTAPE_FIXED_ADDRESSES: 'on', HOOKTAPE_FREE_ENDPOINTS: '2' },
  });
  const ada = await server.createAccount('ada@example.com');
  const bob = await server.createAccount('bob@example.com', { plan: 'free' });
  const apply = (endpoints: object[], { dryRun = false, prune = false, force = false }: Options = {}) =>
    server.services.declared.apply({ document: { endpoints }, dryRun, prune, force });
  return {
    server,
    clock,
    ada,
    bob,
    apply,
    /** Declares one endpoint of ada's. */
    declareAs: async (name: string, fields: object = {}, options?: Options): Promise<string> =>
      summary(await apply([{ name, account: ada.email, ...fields }], options)),
    /** The only endpoint of this name. */
    async find(name: string): Promise<Endpoint> {
      const { endpoints } = await ada.json<{ endpoints: Endpoint[] }>(200, 'GET', '/api/endpoints');
      const found = endpoints.filter(one => one.name === name);
      if (found.length !== 1 || !found[0]) throw new Error(`${found.length} endpoints are called ${name}`);
      return found[0];
    },
    patch: (id: string, change: object) => ada.json(200, 'PATCH', `/api/endpoints/${id}`, change),
    send: async (path: string, init: RequestInit = {}): Promise<number> =>
      (await fetch(`${await server.listen()}${path}`, { method: 'POST', body: '{}', ...init })).status,
  };
}
