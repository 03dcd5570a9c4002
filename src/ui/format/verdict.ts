/* What a signature verdict means, and what would make it pass. */

import type { EventDetail, Signature } from '../wire.ts';
import { platformTitle } from './platforms.ts';

export type Verdict = {
  tone: 'good' | 'bad' | 'muted';
  /** One or two words for lists and badges. */
  label: string;
  sentence: string;
  /** What the reader can do about it; empty when there is nothing to do. */
  advice: string;
  /** Where that is done. */
  action: 'secrets' | 'confirm' | 'none';
};

/** The short form for a list row, where only `signatureValid` is known. */
export const describeRowVerdict = (
  signatureValid: boolean | null,
): { tone: Verdict['tone']; label: string } | undefined => {
  if (signatureValid === null) return undefined;
  return signatureValid ? { tone: 'good', label: 'Valid' } : { tone: 'bad', label: 'Invalid' };
};

export function describeVerdict(event: Pick<EventDetail, 'signature' | 'platform'>): Verdict {
  const { signature } = event;
  if (!signature) {
    const sender = event.platform ? `This ${platformTitle(event.platform)} delivery` : 'This delivery';
    return {
      tone: 'muted',
      label: 'No signature',
      sentence: `${sender} carries no signature that Hooktape knows, so nothing proves who sent it.`,
      advice: '',
      action: 'none',
    };
  }
  if (signature.verdict === 'valid') return validVerdict(signature);
  const how = explainReason(signature);
  return signature.verdict === 'invalid'
    ? { tone: 'bad', label: 'Signature invalid', ...how }
    : { tone: 'muted', label: 'Not checked', ...how };
}

const senderOf = ({ platform }: Signature): string => (platform === null ? 'the sender' : platformTitle(platform));

const validVerdict = (signature: Signature): Verdict => ({
  tone: 'good',
  label: 'Signature valid',
  sentence:
    signature.proves === 'origin'
      ? `The sender knows a secret that you registered${signature.platform === null ? '' : ` for ${senderOf(signature)}`}. That proves the origin, but not that the body is unchanged: this scheme does not sign it.`
      : `Signed by ${senderOf(signature)} with a secret you registered. The body is exactly what was signed.`,
  advice: '',
  action: 'none',
});

const explainReason = (signature: Signature): Pick<Verdict, 'sentence' | 'advice' | 'action'> => {
  const sender = senderOf(signature);
  const ofSender = signature.platform === null ? '' : ` of ${sender}`;
  switch (signature.reason) {
    case 'no_secret':
      return {
        sentence: `It carries a signature${ofSender}, but this endpoint has no secret to check it with.`,
        advice: `Register the signing secret that ${sender} shows for this webhook. Events already stored are judged with it at once.`,
        action: 'secrets',
      };
    case 'unconfirmed_secret':
      return {
        sentence: `The only secrets${ofSender} to check it with came in a handshake, which anybody can send, and nobody has confirmed them.`,
        advice: `If you registered this endpoint at ${sender} yourself, confirm the secret. Events already stored are judged with it at once.`,
        action: 'confirm',
      };
    case 'wrong_secret_or_altered_body':
      return {
        sentence: `The signature${ofSender} does not match this body under any registered secret.`,
        advice: `Either the registered secret is not the one ${sender} signs with (another webhook, another mode, rotated), or the body was changed on its way here. Register the right secret to have it judged again.`,
        action: 'secrets',
      };
    case 'timestamp_out_of_tolerance':
      return {
        sentence: `The signature${ofSender} matches, but its timestamp was too far from the time of arrival.`,
        advice:
          'That is how a replayed or long-delayed delivery looks. If every delivery says this, check the clock of this server.',
        action: 'none',
      };
    case 'malformed_header':
      return {
        sentence: `The signature header${ofSender} is there but does not have the form that ${sender} sends.`,
        advice:
          'See the header below. A proxy that rewrites headers, or a sender that only imitates the platform, looks like this.',
        action: 'none',
      };
    case 'unsupported':
      return {
        sentence: `Hooktape cannot check this kind of signature${ofSender} offline.`,
        advice: 'Everything needed to check it elsewhere is stored: the headers and the exact body.',
        action: 'none',
      };
    default:
      return { sentence: `The signature${ofSender} was not checked.`, advice: '', action: 'none' };
  }
};
