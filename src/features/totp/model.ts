/* Schemas of one-time codes. */
import { type Static, Type as t } from '@sinclair/typebox';

const maxCodeCharacters = 64;

export const TotpSecret = t.Object(
  {
    secret: t.String({ description: 'base 32, for an authenticator app that reads no QR code' }),
    uri: t.String({ format: 'uri', description: 'the content of the QR code' }),
  },
  { title: 'TotpSecret' },
);
export type TotpSecret = Static<typeof TotpSecret>;

const Code = t.String({ maxLength: maxCodeCharacters, description: 'six digits of the authenticator app' });
export const TotpCode = t.Object({ code: Code }, { title: 'TotpCode', examples: [{ code: '287082' }] });

export const RecoveryCodes = t.Object(
  {
    recoveryCodes: t.Array(t.String(), { description: 'each replaces a one-time code once; they are not shown again' }),
  },
  { title: 'RecoveryCodes', examples: [{ recoveryCodes: ['4t9v-2kq8-x7w3-m5n6'] }] },
);

/** A one-time code, or a recovery code in its place. */
export const secondFactorFields = {
  code: t.Optional(Code),
  recoveryCode: t.Optional(t.String({ maxLength: maxCodeCharacters, description: 'in place of `code`' })),
};
export const SecondFactor = t.Object(secondFactorFields, {
  title: 'SecondFactor',
  description: 'one of the two',
  examples: [{ code: '287082' }],
});
