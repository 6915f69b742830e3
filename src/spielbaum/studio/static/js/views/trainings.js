// Trainings.
export async function trainings() { throw new Error("none"); }
