/* `hooktape account …`: accounts and the plans of their teams. */
import type { Account } from '../features/accounts/model.ts';
import type { PasswordReset } from '../features/accounts/service.ts';
import { counted, printResult } from './client/output.ts';
import { ask } from './control.ts';
import { type Arguments, type Io, type Run, UsageError } from './io.ts';

export const runAccount: Run = async (given, io) => {
  const email = given.argument(0);
  const show = (result: Account | Account[]): void =>
    printResult(io, given, result, [result].flat().map(lineOf).join(''));
  switch (given.verb) {
    case 'create': {
      const { passwordLink, ...created } = await ask(io, given, 'account.create', {
        email,
        plan: onePlan(given.option('plan')),
        teamOf: given.option('team-of'),
        password: given.flag('password-stdin') ? await readPassword(io) : undefined,
        passwordLink: !given.json,
      });
      show(created);
      if (passwordLink !== undefined) io.stderr(sayPasswordLink(created.email, passwordLink));
      return;
    }
    case 'list':
      return show(await ask(io, given, 'account.list', {}));
    case 'plan':
      return show(await ask(io, given, 'account.plan', { email, plan: onePlan(given.argument(1)) }));
    case 'password': {
      if (!given.flag('password-stdin')) throw new UsageError('give the password on standard input: --password-stdin');
      const keepKeys = given.flag('keep-keys');
      const reset = await ask(io, given, 'account.password', { email, password: await readPassword(io), keepKeys });
      if (!given.json) io.stderr(sayEnded(reset, keepKeys));
      return show(reset);
    }
    case 'two-factor':
      return show(await ask(io, given, 'account.twoFactorOff', { email: emailToTurnOff(given) }));
    case 'sign-in-link': {
      const link = await ask(io, given, 'account.signInLink', { email });
      printResult(io, given, link, `${link.url}\n`);
      if (!given.json)
        io.stderr(`The link signs ${link.email} in once, within 15 minutes. Everyone who has it can use it.\n`);
      return;
    }
    case 'oidc':
      return show(await ask(io, given, 'account.oidcOff', { email: emailToTurnOff(given) }));
    default:
      return show(await ask(io, given, 'account.delete', { email }));
  }
};

/** The last word of `account two-factor off EMAIL`. */
function emailToTurnOff({ verb, argument }: Arguments): string {
  if (argument(0) !== 'off') throw new UsageError(`give: account ${verb} off EMAIL`);
  return argument(1);
}

const sayPasswordLink = (email: string, link: string): string =>
  `The account has no password yet. To sign in to the dashboard, set one in a browser (the link works once, for 72 hours):

  ${link}

or later on this machine: hooktape account password ${email} --password-stdin --keep-keys
`;

function sayEnded(reset: PasswordReset, keepKeys: boolean): string {
  const { sessionsEnded, grantsRevoked, keysRevoked, passkeys, oidc } = reset;
  const keys = keepKeys
    ? 'API keys stay valid (--keep-keys).'
    : `Revoked ${counted(keysRevoked, 'API key')} (use --keep-keys to keep them).`;
  const others = [...(passkeys > 0 ? [counted(passkeys, 'passkey')] : []), ...(oidc ? ['the provider'] : [])];
  const left = others.length > 0 ? `Still signs in with ${others.join(' and ')}.\n` : '';
  return `Ended ${counted(sessionsEnded, 'session')} and ${counted(grantsRevoked, 'app connection')}. ${keys}\n${left}`;
}

function onePlan(given: string | undefined): string | undefined {
  if (given !== undefined && given !== 'free' && given !== 'pro') throw new UsageError('the plan must be free or pro');
  return given;
}

/** Standard input without its final line break. */
async function readPassword(io: Io): Promise<string> {
  return (await io.readStdin()).replace(/\r?\n$/, '');
}

const lineOf = ({ id, email, plan, role }: Account & { role?: string }): string =>
  `${[id, email, plan, ...(role ? [role] : [])].join('\t')}\n`;
