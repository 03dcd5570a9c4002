/* Schemas of test events, and of what the dashboard shows about connecting a platform. */
import { type Static, Type as t } from '@sinclair/typebox';
import { maxSigningSecretCharacters } from '../../core/limits.ts';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';

export const SampleName = t.Object(
  {
    name: t.String({ description: 'for `sample` of a test event; mostly the event type' }),
    title: t.String(),
  },
  { title: 'SampleName' },
);

export const PlatformGuide = t.Object(
  {
    name: t.String({ description: 'for `platform` of a test event or a signing secret' }),
    title: t.String({ description: 'for people, such as `Stripe`' }),
    docsUrl: t.String({ description: 'the platform’s documentation' }),
    setup: nullable(
      t.Object({
        where: t.String({ description: 'where to enter the URL of an endpoint at the platform' }),
        url: t.String({ description: 'the page of the documentation that says so' }),
      }),
    ),
    secretHint: nullable(t.String({ description: 'where to find the signing secret; null when there is none' })),
    samples: t.Array(SampleName, {
      description: 'deliveries that can be sent as test events; the first is the default',
    }),
    signing: literals(['signed', 'unsigned', 'none'] as const),
  },
  {
    title: 'PlatformGuide',
    description:
      '`signing`: samples are signed; or not, because the platform signs with a private key that only it has; or the platform does not sign.',
  },
);
export type PlatformGuide = Static<typeof PlatformGuide>;

export const PlatformList = t.Object(
  { platforms: t.Array(PlatformGuide, { description: 'the best-known first' }) },
  { title: 'PlatformList' },
);

export const TestEventInput = t.Object(
  {
    platform: t.String({ minLength: 1, maxLength: 100, description: 'a platform’s name' }),
    sample: t.Optional(t.String({ minLength: 1, maxLength: 200, description: 'absent: the platform’s first sample' })),
    secret: t.Optional(
      textDocumentedAs(t.String({ minLength: 1, maxLength: maxSigningSecretCharacters }), {
        description:
          'to sign with; used for this event only, not stored. Absent: a test secret of the endpoint, made when there is none',
      }),
    ),
  },
  { title: 'TestEventInput', examples: [{ platform: 'stripe', sample: 'invoice.paid' }] },
);
export type TestEventInput = Static<typeof TestEventInput>;

export const TestEvent = t.Object(
  {
    eventId: t.String({ description: 'the event that was stored' }),
    platform: t.String({ description: 'the platform’s name' }),
    sample: t.String({ description: 'the name of the sample' }),
    signed: t.Boolean({ description: 'false for platforms whose samples are not signed' }),
    secretId: nullable(t.String({ description: 'the test secret that signed it; null when another one did, or none' })),
  },
  { title: 'TestEvent' },
);
export type TestEvent = Static<typeof TestEvent>;
