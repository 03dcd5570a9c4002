/* Examples of signing secrets, test events, and the guides to platforms. */

const secret = {
  id: 'sec_01m2ab3cd4ef5gh6jk7mn8pq9r',
  platform: 'stripe',
  last4: 'k3d9',
  createdAt: 1_789_000_000_000,
  confirmed: true,
  maySign: true,
  destinations: ['https://staging.example.com'],
  test: false,
};

export const secretExamples = {
  Secret: secret,
  SecretList: { secrets: [secret], learnSecretsUntil: null },
  SecretInput: { platform: 'stripe', secret: 'whsec_replace_this_with_the_secret_of_the_endpoint' },
  TestEventInput: { platform: 'stripe', sample: 'invoice.paid' },
  TestEvent: {
    eventId: 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r',
    platform: 'stripe',
    sample: 'invoice.paid',
    signed: true,
    secretId: secret.id,
  },
  PlatformList: {
    platforms: [
      {
        name: 'stripe',
        title: 'Stripe',
        docsUrl: 'https://docs.stripe.com/webhooks',
        setup: { where: 'Workbench > Webhooks > Create an event destination', url: 'https://docs.stripe.com/webhooks' },
        secretHint: 'Dashboard > Developers > Webhooks > the endpoint > Signing secret',
        samples: [{ name: 'invoice.paid', title: 'Invoice paid' }],
        signing: 'signed',
      },
    ],
  },
};
