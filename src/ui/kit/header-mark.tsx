/* A mark in the header of an endpoint that leads to the page it is about. On a narrow screen, and in place of a text that is too long, it shows its short text. */

import { Link } from './navigation.tsx';

type HeaderMarkProps = {
  to: string;
  tone: 'good' | 'info' | 'warn' | 'bad';
  text: string;
  short: string;
  title: string;
};

/** A longer text would push the URL out of the header. */
const maxCharacters = 60;

export const HeaderMark = ({ to, tone, text, short, title }: HeaderMarkProps) => (
  <Link class={`badge ${tone} header-mark`} to={to} title={title}>
    <span class="badge-text mark-text">{text.length > maxCharacters ? short : text}</span>
    <span class="badge-text mark-short">{short}</span>
  </Link>
);
