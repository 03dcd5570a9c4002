import { type DeliveryReader, parseNestedJson, valueAt } from '../engine/delivery-reader.ts';
import type { Platform } from '../engine/platform.ts';
import { jwtBody } from '../engine/schemes.ts';
import { jwtClaims } from '../engine/verifiers/jwt.ts';

export const wix: Platform = {
  name: 'wix',
  title: 'Wix',
  docsUrl: 'https://dev.wix.com/docs',
  detect: [
    {
      when: { description: 'the body is a JSON Web Token with `data`', test: isWixToken },
      bodyText: /^\s*eyJ[\w-]{10,}\.eyJ/,
      order: 45,
    },
  ],
  eventType: [{ description: '`eventType` in the token that is the body', read: readEventType }],
  deliveryId: [
    {
      body: { description: '`id` of the event in the token that is the body', read: readEventId },
      source:
        'https://dev.wix.com/docs/build-apps/develop-your-app/api-integrations/events-and-webhooks/about-webhooks',
    },
  ],
  signatures: [jwtBody('jwt-rs256', { keyFormat: 'public-key' })],
  secretHint: 'App dashboard > Webhooks > Public key',
};

function isWixToken(reader: DeliveryReader): boolean {
  const data = readData(reader);
  return typeof data === 'string' && /"(eventType|instanceId)"/.test(data.slice(0, 65_536));
}

function readEventType(reader: DeliveryReader): unknown {
  const data = readData(reader);
  return valueAt(typeof data === 'string' ? parseNestedJson(data) : data, 'eventType');
}

/** The data of the token contain the event as JSON text. */
function readEventId(reader: DeliveryReader): unknown {
  const data = readData(reader);
  const event = valueAt(typeof data === 'string' ? parseNestedJson(data) : data, 'data');
  return valueAt(typeof event === 'string' ? parseNestedJson(event) : event, 'id');
}

const readData = (reader: DeliveryReader): unknown => valueAt(jwtClaims(reader.text().trim()), 'data');
