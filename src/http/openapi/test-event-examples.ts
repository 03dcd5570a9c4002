/* Examples of test events, and of the guides to platforms. */

export const testEventExamples = {
  NewTestEvent: { platform: 'stripe', sample: 'invoice.paid' },
  TestEvent: {
    eventId: 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r',
    platform: 'stripe',
    sample: 'invoice.paid',
    isSigned: true,
    secretId: 'sec_01m2ab3cd4ef5gh6jk7mn8pq9r',
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
