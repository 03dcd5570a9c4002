import type { Platform } from '../engine/model.ts';
import { customScheme } from '../engine/schemes.ts';

export const awsSns: Platform = {
  name: 'aws-sns',
  title: 'Amazon SNS',
  docsUrl: 'https://docs.aws.amazon.com/sns/',
  detect: [{ anyHeader: ['x-amz-sns-message-type', 'x-amz-sns-topic-arn'], order: 20 }],
  eventType: ['header:x-amz-sns-message-type', 'json:Type'],
  signatures: [customScheme('aws-sns', null, { keyFormat: 'public-key' })],
  secretHint: 'The PEM certificate behind the SigningCertURL of a notification',
  notes:
    'A subscription must be confirmed by opening the `SubscribeURL` of the recorded delivery: Hooktape makes no request on its own. Raw message delivery is unsigned.',
};
