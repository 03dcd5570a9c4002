import { expect, test } from 'bun:test';
import { type ObservedDelivery, senderRetries } from './service.ts';

const delivery = (platform: string | null, ...times: number[]): ObservedDelivery => ({
  platform,
  basis: platform === null ? 'content' : 'header',
  attempts: times.map(receivedAt => ({ receivedAt })),
});

test('the schedule has the median gap before each retry, by sender', () => {
  const found = senderRetries([
    delivery('svix', 0, 5, 305),
    delivery(null, 0, 60),
    delivery('svix', 0, 7),
    delivery('svix', 10, 19, 1019),
    delivery('svix', 0, 8),
  ]);
  expect(found).toEqual([
    {
      platform: 'svix',
      basis: 'header',
      deliveries: 4,
      retries: [
        { attempt: 2, gapMs: 8, deliveries: 4 },
        { attempt: 3, gapMs: 650, deliveries: 2 },
      ],
    },
    { platform: null, basis: 'content', deliveries: 1, retries: [{ attempt: 2, gapMs: 60, deliveries: 1 }] },
  ]);
});

test('twenty retries are listed', () => {
  const [sender] = senderRetries([delivery('a', ...Array.from({ length: 1000 }, (_, n) => n))]);
  expect(sender?.retries.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
});
