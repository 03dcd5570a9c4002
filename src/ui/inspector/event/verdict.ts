/* Explains a signature verdict and what the user can do about it. */

import type { EventDetail, Signature } from '../../../features/events/model.ts';
import { platformTitle } from '../../kit/format/platforms.ts';

export type Verdict = {
  tone: 'good' | 'bad' | 'muted';
  label: string;
  sentence: string;
  /** What the user can do; empty when there is nothing to do. */
  advice: string;
  /** Whether it is done in the endpoint's settings: confirming a secret. */
  action: 'confirm' | 'none';
};

const nothingToDo = { advice: '', action: 'none' } as const;

export function describeVerdict(event: Pick<EventDetail, 'signature' | 'platform'>): Verdict {
  const { signature } = event;
  if (!signature) {
    const sender = event.platform ? `This ${platformTitle(event.platform)} delivery` : 'This delivery';
    const sentence = `${sender} has no signature that Hooktape recognizes, so its origin isn't proven.`;
    return { tone: 'muted', label: 'No signature', sentence, ...nothingToDo };
  }
  if (signature.verdict === 'valid') return validVerdict(signature);
  const { reason, verdict, checked } = signature;
  const { sentence, advice = '' } = explainReason(signature);
  const found =
    verdict === 'invalid'
      ? ({ tone: 'bad', label: 'Signature invalid' } as const)
      : ({ tone: 'muted', label: 'Not checked' } as const);
  if (checked !== 'arrival' || reason === 'redacted')
    return { ...found, sentence, advice, action: reason === 'unconfirmed_secret' ? 'confirm' : 'none' };
  // A later secret does not change the verdict on a redacted event.
  const why =
    verdict === 'unchecked'
      ? "What is stored was redacted, so it can't be checked later."
      : 'It was checked when it came, before it was redacted, so this verdict stays.';
  return { ...found, sentence: `${sentence} ${why}`, ...nothingToDo };
}

/** `Stripe's`, `Zapier Webhooks'`. */
const possessive = (name: string): string => (name.endsWith('s') ? `${name}'` : `${name}'s`);

const senderOf = ({ platform }: Signature): string => (platform === null ? 'the sender' : platformTitle(platform));

const validVerdict = (signature: Signature): Verdict => ({
  tone: 'good',
  label: 'Signature valid',
  sentence:
    signature.proves === 'origin'
      ? `The sender sent a secret that you saved. That proves the origin, but not that the body is unchanged: this scheme doesn't sign the body.`
      : `Signed by ${senderOf(signature)} with a secret you registered. ${signature.checked === 'arrival' ? 'It was checked when it came.' : 'The body is exactly what was signed.'}`,
  ...nothingToDo,
});

const explainReason = (signature: Signature): { sentence: string; advice?: string } => {
  const sender = senderOf(signature);
  const ofSender = signature.platform === null ? '' : ` of ${sender}`;
  switch (signature.reason) {
    case 'no_secret':
      return {
        sentence: `This delivery carries a signature${ofSender}, but the endpoint has no secret to check it with.`,
        advice: `Enter the signing secret that ${sender} shows for this webhook.`,
      };
    case 'unconfirmed_secret':
      return {
        sentence: `The secret${ofSender} came in a handshake, which anyone can send, and isn't confirmed yet.`,
        advice: `If you registered this URL with ${sender} yourself, confirm the secret. Stored events are re-checked immediately.`,
      };
    case 'wrong_secret_or_altered_body':
      return {
        sentence: `${signature.platform === null ? "The sender's" : possessive(sender)} signature doesn't match any saved secret.`,
        advice: `Either the saved secret isn't the one ${sender} uses (another webhook, test mode, rotated), or the body was changed in transit. Check with another secret.`,
      };
    case 'redacted':
      return {
        sentence: `This event was imported after redaction rules had taken something out of it. The signature${ofSender} covers what was taken, so it can't be checked.`,
      };
    case 'timestamp_out_of_tolerance':
      return {
        sentence: `The signature${ofSender} matches, but its timestamp is too old or in the future.`,
        advice:
          "The delivery was probably replayed or delayed. If every delivery shows this, check this server's clock.",
      };
    case 'malformed_header':
      return {
        sentence: `The signature header${ofSender} doesn't have the format ${sender} uses.`,
        advice:
          'See the header below. Likely causes: a proxy that rewrites headers, or a sender imitating the platform.',
      };
    case 'unsupported':
      return {
        sentence: `Hooktape can't verify this kind of signature without asking the platform.`,
        advice: 'Everything needed to check it elsewhere is stored: the headers and the exact body.',
      };
    default:
      return { sentence: `The signature${ofSender} wasn't checked.` };
  }
};
