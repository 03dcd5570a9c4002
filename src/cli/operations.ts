/* What server commands do, in the server or, if none runs, in the command: only one process has the database open. */

import { type CommandRule, commandRules } from '../core/access/audit-actions.ts';
import type { Plan } from '../core/access/principal.ts';
import { AppError, type ErrorCode, invalid } from '../core/errors.ts';
import type { Account } from '../features/accounts/model.ts';
import type { CoreServices } from '../wiring/core.ts';
import { backUp, checkAll } from './maintenance.ts';

type Arguments = Record<string, unknown>;

/** `passwordLink`: set if the account was created without a password and a link was requested. */
export type CreatedAccount = Account & { passwordLink?: string };

/** `expiresAt`: of the link, epoch ms. */
export type SignInLink = Account & { url: string; expiresAt: number };

export type Operation = (services: CoreServices, args: Arguments) => Promise<unknown>;

function text(args: Arguments, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw invalid(`${name} is missing`);
  return value;
}

const optionalText = (args: Arguments, name: string): string | undefined =>
  args[name] === undefined ? undefined : text(args, name);

function plan(args: Arguments): Plan {
  const value = text(args, 'plan');
  if (value !== 'free' && value !== 'pro') throw invalid('the plan must be free or pro');
  return value;
}

export const operations = {
  ping: async () => ({ ok: true }),
  'import.add': ({ imports }, args) => {
    const { events } = args;
    if (!Array.isArray(events)) throw invalid('events is missing');
    return imports.add(text(args, 'endpoint'), events);
  },
  'account.create': async ({ account, teams, ways }, args): Promise<CreatedAccount> => {
    const teamOf = optionalText(args, 'teamOf');
    const password = optionalText(args, 'password');
    const created = await account.create({
      email: text(args, 'email'),
      ...(args['plan'] !== undefined && { plan: plan(args) }),
      ...(teamOf !== undefined && { teamOf }),
      ...(password !== undefined && { password }),
    });
    if (password !== undefined || args['passwordLink'] !== true || !ways.password) return created;
    return { ...created, passwordLink: await teams.passwordLink(await account.byEmail(created.email)) };
  },
  'account.list': ({ account }) => account.list(),
  'account.plan': ({ account }, args) => account.setPlan(text(args, 'email'), plan(args)),
  'account.password': ({ account }, args) =>
    account.resetPassword(text(args, 'email'), text(args, 'password'), { keepKeys: args['keepKeys'] === true }),
  'account.delete': async ({ account, endpoints }, args) => {
    const removed = await account.remove(text(args, 'email'));
    if (removed.emptyTeam !== undefined) await endpoints.removeTeam(removed.emptyTeam);
    return removed.account;
  },
  'account.twoFactorOff': async ({ account, totp }, args) => {
    const row = await account.byEmail(text(args, 'email'));
    await totp.turnOffByOperator(row);
    return account.toAccount(row);
  },
  'account.signInLink': async ({ account, signInLinks }, args): Promise<SignInLink> => {
    const row = await account.byEmail(text(args, 'email'));
    return { ...account.toAccount(row), ...(await signInLinks.create(row.id)) };
  },
  'account.oidcOff': async ({ account, oidcBindings }, args) => {
    const row = await account.byEmail(text(args, 'email'));
    await oidcBindings.endByOperator(row);
    return account.toAccount(row);
  },
  'key.create': async ({ account, keys }, args) => {
    const expiresIn = optionalText(args, 'expiresIn');
    return keys.create((await account.byEmail(text(args, 'account'))).id, text(args, 'name'), {
      readOnly: args['readOnly'] === true,
      ...(expiresIn !== undefined && { expiresIn }),
    });
  },
  'key.list': async ({ account, keys }, args) => keys.list((await account.byEmail(text(args, 'account'))).id),
  'key.revoke': async ({ keys }, args) => {
    await keys.revokeById(text(args, 'id'));
    return { ok: true };
  },
  'signing-key.rotate': async ({ oauth }, args) => {
    await oauth.rotateSigningKeys({ now: args['now'] === true, revoke: args['revoke'] === true });
    return { ok: true };
  },
  'endpoints.apply': ({ declared }, args) =>
    declared.apply({
      document: args['document'],
      dryRun: args['dryRun'] === true,
      prune: args['prune'] === true,
      force: args['force'] === true,
    }),
  'backup-s3.status': async ({ backup }) => (await backup.configured()).status(),
  'backup-s3.now': async ({ backup }) => (await backup.configured()).now(),
  'backup-s3.repair': async ({ backup }, args) => {
    const { objects } = args;
    if (!Array.isArray(objects)) throw invalid('objects is missing');
    return (await backup.configured()).repair(objects.map(String));
  },
  redact: async ({ erasures, applyRedaction, endpointById, runsQueues }, args) => {
    const { teamId, ...endpoint } = await endpointById(text(args, 'endpoint'));
    if (!runsQueues) await erasures.start();
    if (!runsQueues) await erasures.idle();
    return applyRedaction(
      { teamId, endpoint, where: text(args, 'where').trim() },
      { dryRun: args['dryRun'] === true, by: null },
    );
  },
  erase: async ({ account, erasures, runsQueues }, args) => {
    const { teamId } = await account.byEmail(text(args, 'account'));
    // A server goes on with an unfinished job by itself.
    if (!runsQueues) await erasures.start();
    if (!runsQueues) await erasures.idle();
    return erasures.erase(teamId, { text: text(args, 'text'), dryRun: args['dryRun'] === true });
  },
  backup: (services, args) => backUp(services, text(args, 'file')),
  check: (services, args) => checkAll(services, args['reindex'] === true),
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

export type Outcome = { result: unknown } | { failure: { code: ErrorCode; message: string } };

/** Runs an operation by name. A refusal is returned, an unexpected error is thrown. */
export async function runOperation(services: CoreServices, name: string, args: Arguments): Promise<Outcome> {
  const operation = Object.hasOwn(operations, name) ? (operations as Record<string, Operation>)[name] : undefined;
  if (!operation) return { failure: { code: 'not_found', message: `the server does not support ${name}` } };
  try {
    return { result: (await audited(services, name as OperationName, args, operation)) ?? null };
  } catch (error) {
    if (error instanceof AppError) return { failure: { code: error.code, message: error.message } };
    throw error;
  }
}

/** Runs an operation and writes its audit log entry. */
async function audited(
  services: CoreServices,
  name: OperationName,
  args: Arguments,
  operation: Operation,
): Promise<unknown> {
  const rule: CommandRule | null = commandRules[name];
  if (rule === null) return operation(services, args);
  const team = await services.audit.teamOfCommand(rule, args);
  const result = await operation(services, args);
  await services.audit.recordCommand(rule, args, result, team);
  return result;
}
