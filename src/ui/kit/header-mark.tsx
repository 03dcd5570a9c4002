/* A mark in the header of an endpoint that leads to the page it is about. Several marks on a narrow screen show their short text. */

import { Link } from './navigation.tsx';

type HeaderMarkProps = {
  to: string;
  tone: 'good' | 'info' | 'warn' | 'bad';
  text: string;
  short: string;
  title: string;
};

export const HeaderMark = ({ to, tone, text, short, title }: HeaderMarkProps) => (
  <Link class={`badge ${tone} header-mark`} to={to} title={title}>
    <span class="badge-text mark-text cut">{text}</span>
    <span class="badge-text mark-short cut">{short}</span>
  </Link>
);
