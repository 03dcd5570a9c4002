/* The account on the wire: a shape that sign-in and first run speak, too. */
export { Account, Plan } from '../../http/schemas.ts';
