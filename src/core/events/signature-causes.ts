/* Why a signature does not match a secret: first the causes that undoing the change proves, then likely ones. */

export const signatureCauses = [
  'body_line_end',
  'body_line_breaks',
  'body_json_rewritten',
  'other_url',
  'secret_prefix',
  'body_changed',
  'other_secret',
  'other_mode',
  'url_mismatch',
  'late_delivery',
  'server_clock',
  'header_changed',
  'credential_not_stored',
] as const;

export type SignatureCause = (typeof signatureCauses)[number];
