/* Examples of how schemas change. */

export const schemaExamples = {
  SchemaChangeList: {
    changes: [
      {
        platform: 'stripe',
        type: 'order.paid',
        kind: 'new',
        path: 'customer.locale',
        at: 1_789_000_123_456,
        eventId: 'evt_01m2ab3cd4ef5gh6jk7mn8pq9r',
      },
    ],
  },
};
