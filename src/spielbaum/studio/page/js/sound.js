// A soft click with every move; off until somebody switches it on.

let context = null;

export const isOn = () => localStorage.getItem("sound") === "on";

export function toggle() {
  localStorage.setItem("sound", isOn() ? "off" : "on");
  if (isOn()) moveSound();
}

export function moveSound() {
  if (!isOn()) return;
  context ??= new AudioContext();
  const tone = context.createOscillator();
  const loudness = context.createGain();
  const now = context.currentTime;
  tone.type = "triangle";
  tone.frequency.setValueAtTime(420, now);
  tone.frequency.exponentialRampToValueAtTime(180, now + 0.06);
  loudness.gain.setValueAtTime(0.18, now);
  loudness.gain.exponentialRampToValueAtTime(0.001, now + 0.09);
  tone.connect(loudness).connect(context.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}
