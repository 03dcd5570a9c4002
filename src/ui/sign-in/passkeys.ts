/* Passkeys in this browser. The library is loaded when it is first used. */

import { useEffect } from 'preact/hooks';
import type { Passkey } from '../../features/passkeys/model.ts';
import { messageOf } from '../kit/toasts.tsx';
import { signInApi } from './sign-in-api.ts';

const library = () => import('@simplewebauthn/browser');

/** Browsers have passkeys only over https and on localhost. */
export const canUsePasskeys = (): boolean => typeof globalThis.PublicKeyCredential === 'function';

/** @throws an error whose message can be shown */
export async function createPasskey(name: string): Promise<Passkey> {
  const optionsJSON = await signInApi.passkeyOptions();
  const { startRegistration } = await library();
  return signInApi.addPasskey(name, await startRegistration({ optionsJSON }).catch(explain));
}

/** @throws an error whose message can be shown */
export async function signInWithPasskey(): Promise<void> {
  const optionsJSON = await signInApi.signInOptions();
  const { startAuthentication } = await library();
  await signInApi.signInWithPasskey(await startAuthentication({ optionsJSON }).catch(explain));
}

const reasons: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used. It was cancelled, it took too long, or this device has no passkey of yours.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: "Passkeys work only at this server's own URL. Open it there.",
};

/** The texts of browsers are for developers. */
const explain = (error: unknown): never => {
  throw new Error((error instanceof Error && reasons[error.name]) || messageOf(error), { cause: error });
};

/** The server accepts its options for 5 minutes. */
const optionsLastMs = 4 * 60_000;

type Suggestions = {
  onSignedIn: () => unknown;
  onProblem: (problem: string) => void;
};

/**
 * Offers passkeys among the suggestions of the email field, until another use of a passkey begins.
 * @param isOn false during another sign-in with a passkey
 */
export function usePasskeySuggestions(isOn: boolean, { onSignedIn, onProblem }: Suggestions): void {
  useEffect(() => {
    if (!isOn) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const offer = async (): Promise<void> => {
      const { browserSupportsWebAuthnAutofill, startAuthentication } = await library();
      if (!(await browserSupportsWebAuthnAutofill())) return;
      const optionsJSON = await signInApi.signInOptions();
      if (isOver) return;
      timer = setTimeout(start, optionsLastMs);
      // A later use of a passkey ends this one with an error.
      const response = await startAuthentication({ optionsJSON, useBrowserAutofill: true }).catch(() => undefined);
      if (!response || isOver) return;
      clearTimeout(timer);
      await signInApi.signInWithPasskey(response).then(onSignedIn, error => onProblem(messageOf(error)));
    };
    // Suggestions are an extra: if they fail, the page says nothing.
    const start = (): void => void offer().catch(() => {});
    start();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isOn]);
}
