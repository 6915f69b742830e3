// Texts in German and English. What the library itself says stays as it says it, unless it is listed.

import { de } from "./texts/de.js";
import { en } from "./texts/en.js";

const LANGUAGES = { en, de };

let language = localStorage.getItem("language") ?? (navigator.language.startsWith("de") ? "de" : "en");
if (!(language in LANGUAGES)) language = "en";

export const currentLanguage = () => language;

export function setLanguage(name) {
  language = name;
  localStorage.setItem("language", name);
  document.documentElement.lang = name;
}

/** The text of a key, with {names} filled in. */
export function t(key, values = {}) {
  const text = LANGUAGES[language][key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** A word of the library, such as a colour or the reason of an outcome. */
export function word(text) {
  const known = LANGUAGES[language][`word.${text}`];
  if (known !== undefined) return known;
  const player = /^player (\d+)$/.exec(text);
  return player ? t("player.number", { number: player[1] }) : text;
}

/** Translations that a game brings along: {language: {word: translation}}. */
export function learnWords(words) {
  for (const [name, known] of Object.entries(words)) {
    for (const [text, translation] of Object.entries(known)) LANGUAGES[name][`word.${text}`] ??= translation;
  }
}

/** A word at the beginning of a sentence. */
export function capital(text) {
  const known = word(text);
  return known.charAt(0).toUpperCase() + known.slice(1);
}

const formats = new Map();

export function number(value, digits = 0) {
  const key = `${language} ${digits}`;
  if (!formats.has(key)) {
    formats.set(
      key,
      new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    );
  }
  return formats.get(key).format(value);
}

/** A large number in few characters. */
export function short(value) {
  if (value < 10000) return number(value);
  const [divisor, unit] = value < 1e6 ? [1e3, "k"] : value < 1e9 ? [1e6, "M"] : [1e9, "G"];
  return `${number(value / divisor, value / divisor < 100 ? 1 : 0)} ${unit}`;
}

/** A value in [-1, 1] with its sign. */
export function signed(value, digits = 2) {
  const rounded = Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value;
  return (rounded < 0 ? "−" : "+") + number(Math.abs(rounded), digits);
}
