/* Examples of checking a signature. */

/** @param body of the event @param signature of it */
export const signatureExamples = (body: string, signature: string): Record<string, unknown> => ({
  SignatureCheckRequest: { secret: 'whsec_9f2k4t7x1m3p' },
  SignatureExplanation: {
    verdict: 'invalid',
    reason: 'wrong_secret_or_altered_body',
    proves: null,
    checkedWith: 'request',
    platform: 'stripe',
    scheme: 'hmac-sha256',
    schemes: ['hmac-sha256'],
    signedString: `1789000123.${body}`,
    signedStringEncoding: 'utf8',
    signedBytes: body.length + 11,
    parts: [
      { from: 'header', name: 'stripe-signature', start: 0, end: 10 },
      { from: 'other', name: null, start: 10, end: 11 },
      { from: 'body', name: null, start: 11, end: body.length + 11 },
    ],
    received: [signature],
    expected: ['5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd'],
    signatureEncoding: 'hex',
    timestamp: 1_789_000_123_000,
    timestampFrom: 'header:stripe-signature t',
    skewS: 0.456,
    toleranceS: 300,
    causes: [{ cause: 'other_secret', proven: false }],
  },
});
