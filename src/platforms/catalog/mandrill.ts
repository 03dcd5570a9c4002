import type { Platform } from '../engine/platform.ts';
import { formJson } from '../engine/readers.ts';
import { customScheme } from '../engine/schemes.ts';
import type { CannotSign, Outcome, SignatureCheck, SignedParts, SigningTask } from '../engine/signature-scheme.ts';
import { cannotSign, inSignatureHeaders } from '../engine/signers/task.ts';
import { hmacOf, utf8 } from '../engine/verifiers/check.ts';
import { sortedFormFields, verifyHmacOverUrl } from '../engine/verifiers/url.ts';

export const mandrill: Platform = {
  name: 'mandrill',
  title: 'Mailchimp Transactional',
  docsUrl: 'https://mailchimp.com/developer/transactional/',
  detect: [{ anyHeader: ['x-mandrill-signature'], order: 20 }],
  eventType: [formJson('mandrill_events', '0.event')],
  signatures: [customScheme('mandrill', verifyUrlAndForm, { header: 'x-mandrill-signature', sign: signUrlAndForm })],
  secretHint: 'Settings > Webhooks > the webhook > Key',
  notes: 'The URL must be exactly the one that was configured.',
};

function verifyUrlAndForm(check: SignatureCheck): Outcome {
  const form = check.reader.form();
  if (form === null) return 'unsupported';
  const fields = sortedFormFields(form);
  return verifyHmacOverUrl(check, { encoding: 'base64', hash: 'sha1', urls: check.urls }, url => [utf8(url + fields)]);
}

function signUrlAndForm(task: SigningTask): SignedParts | CannotSign {
  const form = task.reader.form();
  if (form === null) return cannotSign('the body is not a form');
  const digest = task.seal(hmacOf('sha1', utf8(task.secret), [utf8(task.url + sortedFormFields(form))]));
  return inSignatureHeaders(task, () => digest.toString('base64'));
}
