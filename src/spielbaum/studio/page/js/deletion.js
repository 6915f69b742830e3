// Deleting what the server keeps: a button, and a question before anything is lost.

import * as api from "./api.js";
import { button, h, toast } from "./dom.js";
import { t } from "./i18n.js";

/**
 * A button that deletes what is at a path: question() is asked first, and done() called afterwards.
 * It is disabled from then on, so that a view knows that there is nothing left to ask the server for.
 */
export function deleteButton(label, { question, path, done, iconOnly = false }) {
  const made = button(label, { look: "danger", sign: "bin", iconOnly, onclick: act });

  async function act() {
    if (!(await isSure(question(), label))) return;
    made.disabled = true;
    try {
      await api.remove(path());
      toast(t("delete.done"));
      await done();
    } catch (error) {
      made.disabled = false;
      toast(error.message, true);
    }
  }

  return made;
}

/** Whether the visitor means it; Escape and the first button mean no. */
function isSure(question, label) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      {
        "aria-label": question,
        onclose: () => (dialog.remove(), resolve(dialog.returnValue === "yes")),
      },
      h("h2", {}, question),
      h("p", { class: "soft" }, t("delete.forGood")),
      h(
        "div",
        { class: "row end" },
        button(t("delete.keep"), { autofocus: true, onclick: () => dialog.close("") }),
        button(label, { look: "danger", sign: "bin", onclick: () => dialog.close("yes") }),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}
