/* Types for parts of two official libraries that have none. */
declare module 'coinbase-commerce-node' {
  export const Webhook: {
    computeSignature: (payload: string, secret: string) => string;
    verifySigHeader: (payload: string, signature: string, secret: string) => void;
  };
}

declare module 'braintree' {
  export const Environment: { Sandbox: unknown };
  export class BraintreeGateway {
    constructor(options: { environment: unknown; merchantId: string; publicKey: string; privateKey: string });
    webhookNotification: { parse: (signature: string, payload: string) => Promise<object> };
    webhookTesting: {
      sampleNotification: (kind: string, id: string) => Promise<{ bt_signature: string; bt_payload: string }>;
    };
  }
}
