import type { DeliveryReader } from '../engine/delivery-reader.ts';
import { answerEveryDelivery } from '../engine/handshakes.ts';
import type { Platform } from '../engine/platform.ts';
import { textBetween } from '../engine/readers.ts';

const acknowledgement =
  '<?xml version="1.0" encoding="UTF-8"?>' +
  '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>' +
  '<notificationsResponse xmlns="http://soap.sforce.com/2005/09/outbound"><Ack>true</Ack></notificationsResponse>' +
  '</soapenv:Body></soapenv:Envelope>';

export const salesforce: Platform = {
  name: 'salesforce',
  title: 'Salesforce outbound messages',
  docsUrl: 'https://developer.salesforce.com/docs',
  detect: [{ bodyText: /http:\/\/soap\.sforce\.com\/2005\/09\/outbound/, order: 45 }],
  eventType: [{ description: 'XML `xsi:type` of the `sObject`', read: readObjectType }],
  deliveryId: [
    {
      body: { description: 'XML `Id` of a single `Notification`', read: readNotificationId },
      source:
        'https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging_understanding.htm',
    },
  ],
  signatures: [],
  secretHint: null,
  handshakes: [
    answerEveryDelivery('Every delivery: the SOAP acknowledgement.', {
      status: 200,
      headers: { 'content-type': 'text/xml; charset=utf-8' },
      body: acknowledgement,
    }),
  ],
  notes: 'Authenticated by client certificate only.',
};

function readObjectType(reader: DeliveryReader): string | undefined {
  const tag = textBetween(reader.text(), '<sObject', '>');
  const type = tag === undefined ? undefined : textBetween(tag, 'xsi:type="', '"');
  return type?.slice(type.indexOf(':') + 1);
}

/** A message may contain a hundred notifications. */
function readNotificationId(reader: DeliveryReader): string | undefined {
  const xml = reader.text();
  const start = xml.indexOf('<Notification>');
  if (start < 0 || xml.includes('<Notification>', start + 1)) return undefined;
  return textBetween(xml, '<Id>', '</Id>', start);
}
