/* Passkeys, for the host of BASE_URL. */
import type { SignInResult, SignInWay } from '../core/access/sign-in.ts';
import { createChallenges } from '../features/passkeys/challenges.ts';
import { createPasskeysService } from '../features/passkeys/service.ts';
import { createPasskeysStore } from '../features/passkeys/store.ts';
import type { SessionsService } from '../features/sessions/service.ts';
import { hostOfUrl } from '../shared/addresses.ts';
import type { Infrastructure } from './infrastructure.ts';

export function wirePasskeys({
  infrastructure: { config, log, clock, random, sealer, direct, isShared },
  sessions,
  onSignIn,
}: {
  infrastructure: Infrastructure;
  sessions: SessionsService;
  onSignIn: (way: SignInWay, result: SignInResult) => void;
}) {
  return createPasskeysService({
    store: createPasskeysStore(direct.db),
    challenges: createChallenges({ sealer, clock, random, isShared }),
    baseUrl: { host: hostOfUrl(new URL(config.baseUrl)), origin: config.baseUrl },
    ways: { password: true, issuer: undefined },
    startSession: sessions.start,
    clock,
    random,
    onSignIn,
    onInvalid: cause => log.warn('the response of a passkey is not valid', { cause }),
  });
}
