/* Schemas of the binding to an OpenID Connect provider. */
import { Type as t } from '@sinclair/typebox';

export const OidcStart = t.Object(
  { url: t.String({ format: 'uri', description: "the provider's sign-in page: lead the browser there" }) },
  { title: 'OidcStart' },
);
