// A training.
export async function training() { throw new Error("none"); }
