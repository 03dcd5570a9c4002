/* Why a signature is not accepted with a secret: what can be proven by undoing it, then what is only likely. */

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
